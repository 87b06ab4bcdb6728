// What modules look at when they are loaded, for tests without a browser. A test imports it first.
Object.assign(globalThis, { location: new URL("http://origin/console/"), addEventListener: () => {}, localStorage: { getItem: () => null } });

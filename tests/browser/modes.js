// Compares, in nested elements with random attributes, every custom property with what the file of the element's
// combination says. input: {sheet, dims: [{name, modes, system}], flats: {"0,-1": css}, trees, seed}; a mode is named by its
// position, -1 is none; system is the position of the mode that the media conditions choose.
(input) => {
  let seed = input.seed;
  const random = (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const style = document.createElement("style");
  document.head.append(style);
  const root = document.documentElement;
  const names = new Set();
  for (const css of Object.values(input.flats)) {
    for (const [, name] of css.matchAll(/^ {2}(--[^:]+): /gm)) names.add(name);
  }
  const read = (element) => {
    const computed = getComputedStyle(element);
    return [...names].map((name) => computed.getPropertyValue(name));
  };
  const wanted = {};
  for (const [key, css] of Object.entries(input.flats)) {
    style.textContent = css;
    wanted[key] = read(root);
  }
  style.textContent = input.sheet;
  const wrong = [];
  let compared = 0, lightDark = 0;
  const colors = new Map();
  // What light-dark() is shows only in a property that uses it.
  const used = (element, value) => {
    element.style.color = value;
    const color = getComputedStyle(element).color;
    element.style.color = "";
    return color;
  };
  const usedOnce = (value) => {
    if (!colors.has(value)) colors.set(value, used(root, value));
    return colors.get(value);
  };
  const compare = (element, state, path) => {
    const got = read(element), want = wanted[state.join(",")];
    [...names].forEach((name, i) => {
      compared++;
      let is = got[i], should = want[i];
      if (is.includes("light-dark(")) {
        lightDark++;
        is = used(element, `var(${name})`);
        should = usedOnce(should);
      }
      if (is !== should && wrong.length < 10) wrong.push(`${path}: ${name} is ${is}, want ${should}`);
    });
  };
  const plain = (dimension, mode) => (input.dims[dimension].base.includes(mode) ? -1 : mode);
  const attributes = (element, state, path, chance) => {
    const next = [...state];
    input.dims.forEach((d, i) => {
      element.removeAttribute("data-" + d.name);
      if (random(100) >= chance) return;
      const mode = random(d.modes.length);
      element.setAttribute("data-" + d.name, d.modes[mode]);
      next[i] = plain(i, mode);
      path += ` ${d.name}=${d.modes[mode]}`;
    });
    return [next, path];
  };
  const grow = (parent, state, path, depth) => {
    if (depth === 0) return;
    for (let n = 1 + random(2); n > 0; n--) {
      const element = document.createElement("div");
      parent.append(element);
      const [next, here] = attributes(element, state, path + " >", 45);
      compare(element, next, here);
      grow(element, next, here, depth - 1);
    }
  };
  for (let tree = 0; tree < input.trees; tree++) {
    document.body.replaceChildren();
    const system = input.dims.map((d, i) => (d.system < 0 ? -1 : plain(i, d.system)));
    const [state, path] = attributes(root, system, "root", tree === 0 ? 0 : 30);
    compare(root, state, path);
    grow(document.body, state, path, 5);
  }
  for (const d of input.dims) root.removeAttribute("data-" + d.name);
  style.remove();
  return { compared, lightDark, wrong };
}

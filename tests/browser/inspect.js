// Reads the page that it runs in: what the stylesheets declare, whether anything stands outside its
// place, and then uses every custom property, so that a value that fetches something does so.
// base is the address that the page's files begin with.
async function inspect(base) {
  const sheets = [...document.styleSheets].map((sheet) => {
    const rule = sheet.cssRules[0];
    const style = rule?.style ?? [];
    const declarations = [...style].map((name) => ({
      name,
      value: style.getPropertyValue(name),
      priority: style.getPropertyPriority(name),
    }));
    return { rules: sheet.cssRules.length, selector: rule?.selectorText ?? "", declarations };
  });
  const elements = document.querySelectorAll("*").length;
  const scripts = document.scripts.length;

  const foreign = [];
  if ("pwned" in globalThis) foreign.push("a script ran");
  for (const element of [document.documentElement, document.body]) {
    if (getComputedStyle(element).getPropertyValue("--pwned") !== "") foreign.push("a foreign rule applies");
  }
  for (const element of document.querySelectorAll("div")) {
    if (element.childElementCount !== 0) foreign.push("a JSON file in HTML made an element");
  }

  const json = [];
  for (const [i, script] of [...document.scripts].entries()) {
    const file = await (await fetch(base + i + ".json")).text();
    if (script.type !== "application/json") json.push("script element " + i + " is of type " + script.type);
    if (script.textContent !== file) json.push("JSON file " + i + " differs where it is inlined");
    try {
      JSON.parse(script.textContent);
    } catch (e) {
      json.push("JSON file " + i + ": " + e.message);
    }
  }

  use(new Set(sheets.flatMap((sheet) => sheet.declarations.map((d) => d.name))));
  await painted();
  await painted();
  if ("pwned" in globalThis && foreign.length === 0) foreign.push("a script ran late");
  await fetch(base + "mark");
  return { sheets, elements, scripts, foreign, json };

  // use shows one box for each custom property, with the property wherever CSS takes an image.
  function use(names) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "b{display:inline-block;width:1px;height:1px;background:var(--v);list-style:var(--v);border-image:var(--v);cursor:var(--v);content:var(--v)}" +
        "b::before{content:var(--v)}i{display:inline-block;width:1px;height:1px;mask:var(--v);shape-outside:var(--v);float:left;filter:var(--v)}",
    );
    document.adoptedStyleSheets = [sheet];
    const boxes = document.createDocumentFragment();
    for (const name of names) {
      for (const tag of ["b", "i"]) {
        const box = document.createElement(tag);
        box.style.setProperty("--v", "var(" + name + ")");
        boxes.append(box);
      }
    }
    document.body.append(boxes);
  }

  function painted() {
    return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
}

// The page's behaviour: search, contents, copying, contrast, and drawing itself anew if its server says so.
"use strict";
const element = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// search shows the tokens whose name, property, value or description has every word that was typed, and the
// groups, sections and links that lead to one of them.
const entries = all("figure").map((figure) => ({ figure, text: figure.textContent.toLowerCase() }));
const parts = all(".group").concat(all("main > section"));

function search() {
  const words = element("search").value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const { figure, text } of entries) {
    figure.hidden = !words.every((word) => text.includes(word));
    if (!figure.hidden) shown++;
  }
  for (const part of parts) {
    part.hidden = !part.querySelector("figure:not([hidden])");
    document.querySelector(`.contents a[href="#${part.id}"]`).parentElement.hidden = part.hidden;
  }
  element("matches").textContent = words.join("") === "" ? "" : `${shown} of ${entries.length}`;
  remember();
}

// remember keeps what was typed and chosen over a reload.
function remember() {
  history.replaceState({ search: element("search").value, background: element("background").value }, "");
}

// The contents are open beside the tokens, and closed above them on a narrow screen.
const wide = matchMedia("(min-width: 60rem)");
const fold = () => { document.querySelector(".contents details").open = wide.matches; };

// copy puts the text of a button on the clipboard; a page that may not write there selects it.
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.textContent);
    element("copied").textContent = `Copied: ${button.textContent}`;
  } catch {
    getSelection().selectAllChildren(button);
    element("copied").textContent = "The text is selected; the browser does not let this page copy it.";
  }
  clearTimeout(copy.timer);
  copy.timer = setTimeout(() => { element("copied").textContent = ""; }, 3000);
}

// luminance is the relative luminance (WCAG 2) of colours painted over each other on white, as sRGB.
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
function luminance(...colors) {
  for (const color of ["#fff", ...colors]) {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
  }
  const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
    const c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(text, ground) {
  const [low, high] = [luminance(ground), luminance(ground, text)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

// spell rounds down, so that no ratio reads as one that it does not reach.
function spell(contrast) {
  const grade = contrast >= 7 ? "AAA" : contrast >= 4.5 ? "AA" : contrast >= 3 ? "AA for large text" : "too low";
  return `${(Math.floor(contrast * 100) / 100).toFixed(2)}:1 ${grade}`;
}

const colors = all("#colours figure");
const valueBeside = (output) => output.parentElement.querySelector("[data-value]")?.textContent;

// contrasts says under every colour how it reads as text on the chosen background of the same Variant.
function contrasts() {
  const chosen = element("background").value;
  const grounds = chosen.startsWith("--") ? all("output", element(chosen)).map(valueBeside) : undefined;
  for (const figure of colors) {
    all("output", figure).forEach((output, i) => {
      const text = valueBeside(output), ground = grounds ? grounds[i] : chosen;
      const known = text && ground && CSS.supports("color", text) && CSS.supports("color", ground);
      output.textContent = known ? spell(ratio(text, ground)) : "";
    });
  }
}

// follow loads the page again after a change of what it shows.
function follow() {
  const changes = new EventSource("changes");
  let first;
  changes.onmessage = ({ data }) => {
    first ??= data;
    if (data !== first) location.reload();
  };
}

for (const figure of colors) {
  const name = figure.querySelector("figcaption button").textContent;
  element("background").append(new Option(name, figure.id));
}
element("background").closest("label").hidden = colors.length === 0;
element("background").addEventListener("change", () => { contrasts(); remember(); });
element("background").value = history.state?.background ?? "#fff";
element("search").value = history.state?.search ?? "";
contrasts();
element("search").addEventListener("input", search);
search();
document.addEventListener("click", ({ target }) => {
  const button = target.closest("figure button");
  if (button) copy(button);
});
wide.addEventListener("change", fold);
fold();
if ("live" in document.documentElement.dataset) follow();

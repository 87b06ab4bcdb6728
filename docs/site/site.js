// Search, the colour scheme, the pages on a narrow screen, and buttons that copy. The pages are whole without it.
"use strict";

// The colour scheme: the system's, or what the reader chose last.
const scheme = document.getElementById("scheme");
const schemes = ["system", "light", "dark"];
function chosen() {
  try { return localStorage.getItem("livery-docs-scheme") || "system"; } catch { return "system"; }
}
function apply(name) {
  if (name === "system") delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = name;
  scheme.textContent = `Colours: ${name}`;
}
apply(chosen());
scheme.hidden = false;
scheme.addEventListener("click", () => {
  const next = schemes[(schemes.indexOf(chosen()) + 1) % schemes.length];
  try { localStorage.setItem("livery-docs-scheme", next); } catch { /* it holds for this page alone */ }
  apply(next);
});

// The pages on a narrow screen.
const menu = document.getElementById("menu");
const pages = document.getElementById("pages");
const narrow = matchMedia("(max-width: 48rem)");
function open(expanded) {
  menu.setAttribute("aria-expanded", String(expanded));
  pages.classList.toggle("closed", narrow.matches && !expanded);
}
function fit() {
  menu.hidden = !narrow.matches;
  open(false);
}
narrow.addEventListener("change", fit);
fit();
menu.addEventListener("click", () => open(menu.getAttribute("aria-expanded") !== "true"));

// Buttons that copy: of a transcript the commands alone.
for (const pre of document.querySelectorAll("main pre")) {
  const box = document.createElement("div");
  box.className = "code";
  pre.replaceWith(box);
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    const lines = pre.textContent.split("\n");
    const commands = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    try {
      await navigator.clipboard.writeText(commands.length > 0 ? commands.join("\n") : pre.textContent);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Not copied";
    }
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });
  box.append(pre, copy);
}

// The search: every word must stand in a section; those whose heading has it come first.
const search = document.getElementById("search");
const found = document.getElementById("found");
const count = document.getElementById("count");
let sections;
let at = -1;

async function load() {
  sections ??= fetch("search.json").then((answer) => answer.json()).then((list) => list.map((s) => ({ ...s, head: `${s.h} ${s.p}`.toLowerCase(), text: s.t.toLowerCase() })));
  return sections;
}

function rank(section, words) {
  let score = 0;
  for (const word of words) {
    if (section.h.toLowerCase().includes(word)) score += 8;
    else if (section.head.includes(word)) score += 3;
    else if (section.text.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

function excerpt(section, word) {
  const from = Math.max(0, section.text.indexOf(word) - 30);
  return (from > 0 ? "… " : "") + section.t.slice(from, from + 120);
}

async function look() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let list = [];
  if (words.length > 0) {
    try {
      const all = await load();
      list = all.map((section) => ({ section, score: rank(section, words) })).filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(0, 12);
    } catch {
      count.textContent = "The search cannot be loaded. Reload the page.";
      return;
    }
  }
  at = -1;
  found.replaceChildren(...list.map(({ section }, i) => {
    const item = document.createElement("li");
    item.id = `found-${i}`;
    item.setAttribute("role", "option");
    item.dataset.to = section.u;
    const small = document.createElement("small");
    small.textContent = `${section.p}: ${excerpt(section, words[0])}`;
    item.append(section.h, small);
    return item;
  }));
  found.hidden = list.length === 0;
  search.setAttribute("aria-expanded", String(list.length > 0));
  search.removeAttribute("aria-activedescendant");
  count.textContent = words.length === 0 ? "" : list.length === 0 ? "Nothing found" : `${list.length} found`;
}

function select(to) {
  const items = [...found.children];
  if (items.length === 0) return;
  at = (to + items.length) % items.length;
  items.forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
  items[at].scrollIntoView({ block: "nearest" });
  search.setAttribute("aria-activedescendant", items[at].id);
}

function close() {
  found.hidden = true;
  search.setAttribute("aria-expanded", "false");
}

search.addEventListener("focus", () => { load().catch(() => { sections = undefined; }); });
search.addEventListener("input", look);
search.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") select(at + 1);
  else if (event.key === "ArrowUp") select(at - 1);
  else if (event.key === "Enter" && found.children.length > 0) location.href = found.children[Math.max(0, at)].dataset.to;
  else if (event.key === "Escape") { search.value = ""; close(); return; }
  else return;
  event.preventDefault();
});
found.addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item) { close(); location.href = item.dataset.to; }
});
document.addEventListener("click", (event) => { if (!event.target.closest("search")) close(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(input|textarea)$/i.test(document.activeElement.tagName) && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
  }
});

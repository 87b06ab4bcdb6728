// Search, the contents on a narrow screen, and a button that copies an example. The page is whole without them.
"use strict";

const search = document.getElementById("search");
const found = document.getElementById("found");
const entries = [...document.querySelectorAll("[data-entry]")].map((element) => ({
  element,
  link: document.querySelector(`[data-of="${element.id}"]`),
  text: [element.id, ...[...element.querySelectorAll("h3, .route, th code, :scope > p")].map((part) => part.textContent)].join(" ").toLowerCase(),
}));

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { element, link, text } of entries) {
    const fits = words.every((word) => text.includes(word));
    element.hidden = !fits;
    if (link) link.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  document.body.classList.toggle("searching", words.length > 0);
  for (const section of document.querySelectorAll("main > section, nav > section")) {
    const parts = section.querySelectorAll("[data-entry], [data-of]");
    section.hidden = parts.length > 0 && [...parts].every((part) => part.hidden);
  }
  found.textContent = words.length > 0 ? `${shown} found` : "";
}

search.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
  }
  if (event.key === "Escape" && document.activeElement === search) {
    search.value = "";
    filter();
  }
});

// A link to what the search hides ends the search.
addEventListener("hashchange", () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.closest("[hidden]")) {
    search.value = "";
    filter();
    target.scrollIntoView();
  }
});

const menu = document.getElementById("menu");
const contents = document.getElementById("contents");
menu.hidden = false;
contents.classList.add("scripted", "closed");
function open(expanded) {
  menu.setAttribute("aria-expanded", String(expanded));
  contents.classList.toggle("closed", !expanded);
}
menu.addEventListener("click", () => open(menu.getAttribute("aria-expanded") !== "true"));
contents.addEventListener("click", (event) => {
  if (event.target.closest("a")) open(false);
});

for (const code of document.querySelectorAll(".code")) {
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.querySelector("code").textContent);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Not copied";
    }
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });
  code.append(copy);
}

// The course's pages: the stylesheet tells one by its first heading, with `:has`, so that it is right before anything
// has run. But after every change of such a page the browser looks for the heading again, and restyles all of it. The
// first live view marks the page instead, once, and has the stylesheet ask for the mark. Where nothing has loaded the
// sheet, that view brings it along.

import { element } from "./elements.js";
import PAGE_SHEET from "./page/custom.css";

const PAGE = ".jp-Notebook:has("; // how the sheet's one outer rule begins
const PAGE_MARK = "anatomy-page";

export function markPages() {
  if (globalThis.anatomyPage?.isConnected) return;
  if (!pageRule()) document.head.append(element("style", { text: PAGE_SHEET }));
  const rule = pageRule();
  if (!rule) return; // a host that allows no style of ours
  globalThis.anatomyPage = rule.parentStyleSheet.ownerNode;
  watchForHeading(rule.selectorText.slice(PAGE.length, -1));
  rule.selectorText = `.jp-Notebook.${PAGE_MARK}`;
}

function pageRule() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...rulesOf(sheet)]);
  return rules.find(({ selectorText }) => selectorText?.startsWith(PAGE));
}

// A stylesheet from another place keeps its rules to itself.
function rulesOf(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return [];
  }
}

// Marks the notebooks that have this heading, now and whenever one is drawn later: an animation tells when.
function watchForHeading(heading) {
  const mark = (node) => node.closest(".jp-Notebook")?.classList.add(PAGE_MARK);
  document.querySelectorAll(heading).forEach(mark);
  if (globalThis.anatomyHeading) return;
  globalThis.anatomyHeading = heading;
  const text = `@keyframes ${PAGE_MARK} { to { order: 0; } }\n${heading} { animation: ${PAGE_MARK} 1ms; }`;
  document.head.append(element("style", { text }));
  document.addEventListener("animationstart", ({ animationName, target }) => {
    if (animationName === PAGE_MARK) mark(target);
  });
}

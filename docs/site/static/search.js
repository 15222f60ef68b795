// The page of search results. Sphinx names pages; below each come the sections in which all words are, with an excerpt.
// Their text comes as a script, because a page that was opened as a file may not read others.

const MOST = 4;
const AROUND = 70;

// The page of search results without a question is no empty page.
function tellHowToSearch(results) {
  const [title, text] = [document.createElement("h1"), document.createElement("p")];
  title.textContent = "Search";
  text.textContent = "Type a word into the field of the menu, and press Enter.";
  results.append(title, text);
}

// Where a word begins with one of these.
function beginnings(words) {
  const escaped = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})`, "giu");
}

// The text around the first of the words, with all of them marked.
function excerpt(text, pattern) {
  const first = Math.max(0, text.search(pattern));
  const start = first < AROUND ? 0 : text.lastIndexOf(" ", first - AROUND) + 1;
  const end = text.indexOf(" ", first + 2 * AROUND);
  const part = text.slice(start, end < 0 ? undefined : end);
  const node = document.createElement("p");
  let last = 0;
  for (const { 0: word, index } of part.matchAll(pattern)) {
    const mark = document.createElement("mark");
    mark.textContent = word;
    node.append(part.slice(last, index), mark);
    last = index + word.length;
  }
  node.prepend(start ? "… " : "");
  node.append(part.slice(last), end < 0 ? "" : " …");
  return node;
}

// Below a result: the sections that fit best; below one that is a section already, only its own excerpt.
function addSections(result, words) {
  const link = result.querySelector("a");
  const [page, anchor] = link.getAttribute("href").split("#");
  const pattern = beginnings(words);
  const has = (text) => words.every((word) => beginnings([word]).test(text));
  const count = ({ title, text }) => (text.match(pattern)?.length ?? 0) + 10 * (title.match(pattern)?.length ?? 0);
  const found = (window.anatomySections[page] ?? []).filter(({ title, text }) => has(`${title} ${text}`));
  if (anchor) {
    const own = found.find(({ id }) => id === anchor);
    if (own) result.append(excerpt(own.text, pattern));
    return;
  }
  const list = document.createElement("ul");
  for (const section of found.sort((a, b) => count(b) - count(a)).slice(0, MOST)) {
    const item = document.createElement("li");
    const there = document.createElement("a");
    Object.assign(there, { href: `${page}#${section.id}`, textContent: section.title });
    item.append(there, excerpt(section.text, pattern));
    list.append(item);
  }
  if (list.firstChild) result.append(list);
}

function showSections(results) {
  const words = new URLSearchParams(location.search).get("q")?.trim().split(/\s+/).filter(Boolean) ?? [];
  if (!words.length) return tellHowToSearch(results);
  const add = () => {
    for (const result of results.querySelectorAll("ul.search > li:not([data-told])")) {
      result.dataset.told = "";
      addSections(result, words);
    }
  };
  new MutationObserver(add).observe(results, { childList: true, subtree: true });
  add();
}

showSections(document.getElementById("search-results"));

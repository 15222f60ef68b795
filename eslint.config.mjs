// ESLint for the widgets' scripts. A widget's module is the text of several files one after the other (views/_kit/base.py),
// so what the files in front of a file declare is in scope there, and what the files behind it use is not unused. Both
// are read from the widgets' classes here; nothing has to be listed by hand.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = path.dirname(fileURLToPath(import.meta.url));
const STATIC = "anatomy_course/views";
const NPM = path.join(ROOT, ".cache/npm/node_modules");

// ESLint's own rules and the browsers' names, from where the project keeps what it fetches.
async function fetched(name, file) {
  const { default: found } = await import(pathToFileURL(path.join(NPM, name, file)));
  return found;
}

const js = await fetched("@eslint/js", "src/index.js");
const globals = await fetched("globals", "index.js");

const read = (file) => readFileSync(path.join(ROOT, file), "utf8");
const quoted = (text) => [...text.matchAll(/"([^"]+\.js)"/g)].map(([, name]) => name);

// Every Python file that may declare a widget.
function pythonFiles(folder) {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return pythonFiles(file);
    return entry.name.endsWith(".py") ? [file] : [];
  });
}

// The files of each widget's module in their order: the kit, what it shares, its own.
function assemblies() {
  const kit = quoted(read("anatomy_course/views/_kit/base.py").match(/^KIT = \(([^)]*)\)/m)[1]);
  const declared = /^class \w+\(\s*[\w.]+,\s*module="([^"]+)"(?:,\s*shares=\(([^)]*)\))?/gm;
  return pythonFiles("anatomy_course/views").flatMap((file) =>
    [...read(file).matchAll(declared)].map(([, module, shares]) => [...kit, ...quoted(shares ?? ""), module]),
  );
}

const together = assemblies();
const files = [...new Set(together.flat())];
const texts = new Map(files.map((file) => [file, read(`${STATIC}/${file}`)]));
const declares = new Map(
  files.map((file) => [file, [...texts.get(file).matchAll(/^(?:function|const|let) (\w+)/gm)].map(([, name]) => name)]),
);

// What is in scope in a file: what every module that holds it declares beside it.
function inScope(file) {
  const beside = together.filter((list) => list.includes(file)).map((list) => list.filter((other) => other !== file));
  const names = beside.map((list) => new Set(list.flatMap((other) => declares.get(other))));
  return [...names[0]].filter((name) => name !== "render" && names.every((set) => set.has(name)));
}

// What a file declares for others: the names that stand in another file of the same module.
function usedElsewhere(file) {
  const others = new Set(together.filter((list) => list.includes(file)).flat());
  others.delete(file);
  const words = new Set([...others].flatMap((other) => texts.get(other).match(/\w+/g)));
  return declares.get(file).filter((name) => words.has(name));
}

export default [
  { ignores: [`${STATIC}/bertviz/vendor/**`] },
  {
    files: ["docs/site/static/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "script", globals: globals.browser },
    rules: { ...js.configs.recommended.rules, "no-var": "error", "prefer-const": "error", eqeqeq: "error" },
  },
  ...files.map((file) => ({
    files: [`${STATIC}/${file}`],
    languageOptions: {
      ecmaVersion: 2024,
      sourceType: "module",
      globals: {
        ...globals.browser,
        PAGE_SHEET: "readonly", // from _kit/base.py
        ...Object.fromEntries(inScope(file).map((name) => [name, "readonly"])),
      },
    },
    rules: {
      ...js.configs.recommended.rules,
      "no-unused-vars": [
        "error",
        { varsIgnorePattern: `^(${usedElsewhere(file).join("|") || "-"})$`, args: "after-used" },
      ],
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
    },
  })),
];

// ESLint for the views' ES modules and the site's script. Beside ESLint's own rules: what a module imports by name must be
// exported where it is looked for, and what it exports must be imported somewhere.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = path.dirname(fileURLToPath(import.meta.url));
const VIEWS = "anatomy_course/views";
const NPM = path.join(ROOT, ".cache/npm/node_modules");

// ESLint's own rules and the browsers' names, from where the project keeps what it fetches.
async function fetched(name, file) {
  const { default: found } = await import(pathToFileURL(path.join(NPM, name, file)));
  return found;
}

const js = await fetched("@eslint/js", "src/index.js");
const globals = await fetched("globals", "index.js");

const EXPORTED = /^export (?:async )?(?:function|const|class) (\w+)/gm;
const IMPORTED = /^import \{([^}]*)\} from "(\.[^"]+)"/gm;
const namesOf = (list) => list.split(",").map((part) => part.trim().split(" ")[0]);
const texts = new Map(
  readdirSync(path.join(ROOT, VIEWS), { recursive: true })
    .filter((file) => file.endsWith(".js"))
    .map((file) => path.join(ROOT, VIEWS, file))
    .map((file) => [file, readFileSync(file, "utf8")]),
);
const exportsOf = (file) => [...(texts.get(file) ?? "").matchAll(EXPORTED)].map(([, name]) => name);
const imported = new Set(
  [...texts].flatMap(([file, text]) =>
    [...text.matchAll(IMPORTED)].flatMap(([, list, source]) =>
      namesOf(list).map((name) => `${path.resolve(path.dirname(file), source)} ${name}`),
    ),
  ),
);

const modules = {
  rules: {
    names: {
      create: (context) => ({
        ImportDeclaration(node) {
          const other = path.resolve(path.dirname(context.filename), node.source.value);
          if (!existsSync(other)) context.report({ node, message: `There is no file ${node.source.value}.` });
          for (const { imported: found } of node.specifiers)
            if (found && !exportsOf(other).includes(found.name))
              context.report({ node, message: `${node.source.value} does not export ${found.name}.` });
        },
        ExportNamedDeclaration(node) {
          const { id = node.declaration.declarations?.[0].id } = node.declaration;
          if (!imported.has(`${context.filename} ${id.name}`))
            context.report({ node, message: `Nothing imports ${id.name}; it needs no export.` });
        },
      }),
    },
  },
};

const rules = { ...js.configs.recommended.rules, "no-var": "error", "prefer-const": "error", eqeqeq: "error" };

export default [
  { ignores: [`${VIEWS}/bertviz/vendor/**`] },
  {
    files: ["docs/site/static/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "script", globals: globals.browser },
    rules,
  },
  {
    files: [`${VIEWS}/**/*.js`],
    plugins: { modules },
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    rules: { ...rules, "modules/names": "error" },
  },
];

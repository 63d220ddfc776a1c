/** Nothing lies about that nobody uses. */

import path from "node:path";
import { exportsOf, importsOf } from "./imports.ts";
import type { Rule, SourceFile } from "./source-file.ts";
import { problemAt, walk } from "./source-file.ts";

/** Files that are started by name: by npm scripts, by the test runner, by k6. */
const ENTRY_POINTS = [
  /^(cli|generator)\/main\.ts$/,
  /^tools\/[^/]+\.(ts|mjs)$/,
  /^test\/.*\.test\.ts$/,
  /^test\/([^/]+\/)+main\.ts$/,
  /^scenarios\/[^/]+\.ts$/,
  /^bench\/(main|plain-script)\.ts$/,
  /^vitest\.config\.ts$/,
];

export const deadFiles: Rule = (files) => {
  const used = new Set(files.flatMap((file) => [...importedFiles(file), ...namedFiles(file)]));
  return files
    .filter(({ path: file }) => !used.has(file) && !isEntryPoint(file))
    .map(({ path: file }) => {
      return { path: file, line: 1, message: "nothing imports this file; use it or remove it" };
    });
};

export const deadExports: Rule = (files) => {
  const used = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { target, names } of importsOf(file)) {
      if (target === null) continue;
      used.set(target, new Set([...(used.get(target) ?? []), ...names]));
    }
  }
  return files.flatMap((file) => {
    const names = used.get(file.path);
    if (isEntryPoint(file.path) || names?.has("*")) return [];
    const dead = exportsOf(file).filter(
      ({ name, isType }) => !names?.has(name) && !(isType && isMentionedTwice(file, name)),
    );
    return dead.map(({ name, offset }) =>
      problemAt(file, offset, `nothing imports "${name}"; use it, or drop its export`),
    );
  });
};

/** A type that the file itself uses is part of a signature: whoever calls that may name it. */
function isMentionedTwice(file: SourceFile, name: string): boolean {
  let mentions = 0;
  walk(file.tree, (node) => {
    if (node.type === "Identifier" && node.name === name) mentions += 1;
  });
  return mentions > 1;
}

function isEntryPoint(file: string): boolean {
  return ENTRY_POINTS.some((pattern) => pattern.test(file));
}

function importedFiles(file: SourceFile): string[] {
  return importsOf(file).flatMap(({ target }) => (target === null ? [] : [target]));
}

/** Files that a string names, such as a worker's, from this file's folder or from the top. */
function namedFiles(file: SourceFile): string[] {
  const found: string[] = [];
  walk(file.tree, ({ type, value }) => {
    if (type !== "Literal" || typeof value !== "string" || !/\.(ts|mjs)$/.test(value)) return;
    found.push(path.posix.join(path.posix.dirname(file.path), value), path.posix.normalize(value));
  });
  return found;
}

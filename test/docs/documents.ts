/** The documents of the project, and what stands in their fenced blocks. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../../runner/package-root.ts";

export const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...["docs", "docs/decisions", "docs/runbooks"].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

export const texts = new Map(
  DOCUMENTS.map((name) => [name, readFileSync(path.join(ROOT, name), "utf8")]),
);

export interface Shown {
  document: string;
  text: string;
}

/** Fenced blocks of that language. */
export function blocks(language: string): Shown[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...texts].flatMap(([document, text]) =>
    [...text.matchAll(fence)].map((match) => ({ document, text: match[1] ?? "" })),
  );
}

const CALL = /(?:(?:node_modules\/.bin\/)?plumbline|npm run plumbline --) ([a-z][^\n`#]*)/g;

/** Calls of the command, in blocks and in running text, without its name. */
export function calls(): Shown[] {
  const inText = [...texts].flatMap(([document, text]) =>
    [...text.matchAll(/`((?:node_modules\/.bin\/)?plumbline [^`\n]+)`/g)].map((match) => {
      return { document, text: match[1] ?? "" };
    }),
  );
  return [...blocks("sh"), ...blocks("yaml"), ...inText].flatMap(({ document, text }) =>
    [...text.matchAll(CALL)].map((match) => ({ document, text: (match[1] ?? "").trim() })),
  );
}

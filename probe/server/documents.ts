/**
 * Documents of this package as pages: on call the runbooks, and the interface that alerts and
 * boards cite, are at hand wherever the probe answers.
 */

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Marked } from "marked";
import { isPromiseId, promiseEntry } from "../../contract/promises.ts";
import { markdown } from "../../report/markdown.ts";
import { ROOT } from "../../runner/package-root.ts";
import type { PageParts } from "./page-shell.ts";

/** Documents beside the runbooks, by the path that each is served under, and their titles. */
const SERVED = { interface: "Interface", promises: "Promises" } as const;

export interface Documents {
  /** The page that lists all runbooks. */
  index(): PageParts;
  /** null for a name that no runbook has. */
  runbook(name: string): Promise<PageParts | null>;
  /** null for a path that no document is served under. */
  document(urlPath: string): Promise<PageParts | null>;
}

/** Reads the list of names at once and each text when it is asked for. */
export function openDocuments(): Documents {
  const folder = path.join(ROOT, "docs");
  const files = readdirSync(path.join(folder, "runbooks"));
  const names = files.map((file) => path.basename(file, ".md"));
  const marked = markdownOf(new Set(names));
  const pageOf = async (file: string, title: string): Promise<PageParts> => {
    const html = await marked.parse(await readFile(path.join(folder, file), "utf8"));
    const body = `${BACK}<main class="text">${html}</main>`;
    return { title: `${title} - plumbline probe`, body };
  };
  return {
    index() {
      const links = names.map((name) => `<li><a href="/runbooks/${name}">${name}</a></li>`);
      const body = `${BACK}<main><h1>Runbooks</h1><ul>${links.join("")}</ul></main>`;
      return { title: "Runbooks - plumbline probe", body };
    },
    async runbook(name) {
      return names.includes(name) ? await pageOf(`runbooks/${name}.md`, name) : null;
    },
    async document(urlPath) {
      const name = urlPath.slice(1);
      return isServed(name) ? await pageOf(`${name}.md`, SERVED[name]) : null;
    },
  };
}

/** The section of the interface that makes a promise, seen from its own address; null: no such. */
export function sectionLink(promise: string): string | null {
  return isPromiseId(promise) ? `../interface#s${promiseEntry(promise).section}` : null;
}

const BACK = [
  `<nav><a href="/">Status</a> <a href="/runbooks">Runbooks</a>`,
  ...Object.entries(SERVED).map(([name, title]) => ` <a href="/${name}">${title}</a>`),
  `</nav>`,
].join("");

function isServed(name: string): name is keyof typeof SERVED {
  return Object.hasOwn(SERVED, name);
}

/** Names of runbooks become links; documents that the probe does not serve become text. */
function markdownOf(names: ReadonlySet<string>): Marked {
  const linkTo = (href: string) => {
    const [file = "", anchor] = href.split("#");
    const name = path.basename(file, ".md");
    const place = anchor === undefined ? "" : `#${anchor}`;
    if (file === "") return place;
    if (names.has(name)) return `/runbooks/${name}${place}`;
    if (isServed(name)) return `/${name}${place}`;
    return /^https?:/.test(href) ? href : null;
  };
  return markdown(linkTo).use({
    renderer: {
      em({ text, tokens }) {
        const html = this.parser.parseInline(tokens);
        return names.has(text) ? `<a href="/runbooks/${text}">${html}</a>` : `<em>${html}</em>`;
      },
    },
  });
}

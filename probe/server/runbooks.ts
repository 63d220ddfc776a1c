/** The runbooks of this package as pages: on call they are at hand wherever the probe answers. */

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { Marked } from "marked";
import { escaped } from "../../report/text.ts";
import { packageRoot } from "../../runner/package-root.ts";
import type { PageParts } from "./page-shell.ts";

export interface Runbooks {
  /** The page that lists them all. */
  index(): PageParts;
  /** null for a name that no runbook has. */
  page(name: string): Promise<PageParts | null>;
}

/** Reads the list of names at once and each text when it is asked for. */
export function openRunbooks(): Runbooks {
  const folder = path.join(packageRoot(), "docs", "runbooks");
  const names = readdirSync(folder).map((file) => path.basename(file, ".md"));
  const marked = markdownOf(new Set(names));
  return {
    index() {
      const links = names.map((name) => `<li><a href="/runbooks/${name}">${name}</a></li>`);
      const body = `${BACK}<main><h1>Runbooks</h1><ul>${links.join("")}</ul></main>`;
      return { title: "Runbooks - plumbline probe", body };
    },
    async page(name) {
      if (!names.includes(name)) return null;
      const text = await readFile(path.join(folder, `${name}.md`), "utf8");
      const html = await marked.parse(text);
      const body = `${BACK}<main class="text">${html}</main>`;
      return { title: `${name} - plumbline probe`, body };
    },
  };
}

const BACK = `<nav><a href="/">Status</a> <a href="/runbooks">Runbooks</a></nav>`;

/** Names of other runbooks become links; documents that the probe does not serve become text. */
function markdownOf(names: ReadonlySet<string>): Marked {
  const linkTo = (name: string, html: string) => `<a href="/runbooks/${name}">${html}</a>`;
  return new Marked({
    renderer: {
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const name = path.basename(href, ".md");
        if (names.has(name)) return linkTo(name, html);
        return /^https?:/.test(href) ? `<a href="${escaped(href)}">${html}</a>` : html;
      },
      em({ text, tokens }) {
        const html = this.parser.parseInline(tokens);
        return names.has(text) ? linkTo(text, html) : `<em>${html}</em>`;
      },
      html: ({ text }) => escaped(text),
    },
  });
}

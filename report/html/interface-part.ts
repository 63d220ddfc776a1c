/** The sections of the interface that the page's promises rest on, quoted: each § leads there. */

import { markdown } from "../markdown.ts";
import type { JudgedPromise } from "../model.ts";
import { Markup } from "./markup.ts";
import type { Part } from "./page.ts";

/** A section begins with its anchor and a heading; those of §1 are items of one list. */
const SECTION_STARTS = /^(?=<a id="s[\d.]+"><\/a>\n#)/m;
const ANCHORS = /<a id="s([\d.]+)"><\/a>/g;
/** The anchor and the heading itself. */
const HEADING_LINES = 2;
const HEADING = /^(#+) (?=§)/m;

interface Quoted {
  /** null where none of the promises names a section that the text has. */
  part: Part | null;
  /** Sections that a link may lead to. */
  sections: ReadonlySet<string>;
}

/** `text`: docs/interface.md, empty where there is none; the page is read where no file is. */
export function quoteInterface(text: string, promises: readonly JudgedPromise[]): Quoted {
  const cited = new Set(promises.map(({ section }) => section));
  const blocks = text.split(SECTION_STARTS).slice(1);
  const bare = blocks.filter(isBare).flatMap(sectionsOf);
  const above = bare.filter((section) => cited.has(section)).map((section) => `${section}.`);
  const isCited = (section: string) =>
    cited.has(section) || above.some((start) => section.startsWith(start));
  const quoted = blocks.filter((block) => sectionsOf(block).some(isCited));
  const sections = new Set(quoted.flatMap(sectionsOf));
  if (quoted.length === 0) return { part: null, sections };
  const linkTo = (href: string) => {
    const section = /#s([\d.]+)$/.exec(href)?.[1];
    return section !== undefined && sections.has(section) ? `#s${section}` : null;
  };
  // Below the heading of the part.
  const shown = quoted.map((block) => block.replace(HEADING, "### ")).join("\n");
  const html = markdown(linkTo).parse(shown, { async: false });
  const body = new Markup(`<div class="document">${html}</div>`);
  return { part: { id: "interface", title: "The interface", count: null, body }, sections };
}

/** A heading without words of its own stands for the sections below it. */
function isBare(block: string): boolean {
  return block.trim().split("\n").length === HEADING_LINES;
}

function sectionsOf(block: string): string[] {
  return [...block.matchAll(ANCHORS)].map(([, section = ""]) => section);
}

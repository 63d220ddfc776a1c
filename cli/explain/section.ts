/** What rests on a section of the interface: its title, where it stands, its promises. */

import { readFileSync } from "node:fs";
import path from "node:path";

import type { PromiseEntry } from "../../contract/promises.ts";
import { PROMISES } from "../../contract/promises.ts";
import { ROOT } from "../../runner/package-root.ts";

export interface ExplainedSection {
  section: string;
  title: string;
  /** Path in the package, with the place in it. */
  document: string;
  promises: readonly Pick<PromiseEntry, "id" | "section" | "title">[];
}

/** A number of a section as people write it: `§4`, `4.1`, `s4.1`; null for any other text. */
export function sectionIn(text: string): string | null {
  return /^(?:§\s?|s)?([1-9]\d?(?:\.\d{1,2})?)$/.exec(text)?.[1] ?? null;
}

/** null where the interface has no such section. */
export function explainedSection(section: string): ExplainedSection | null {
  const text = readFileSync(path.join(ROOT, "docs/interface.md"), "utf8");
  const [, after] = text.split(`<a id="s${section}"></a>`);
  if (after === undefined) return null;
  // A heading, or an item that goes on for some lines.
  const [first = ""] = after.trim().split(/\n(?=[-\n<])/);
  const title = first.replaceAll(/\s*\n\s*/g, " ").replace(/^#* ?§[\d.]+:? /, "");
  const own = PROMISES.filter((each) => {
    return each.section === section || each.section.startsWith(`${section}.`);
  });
  const promises = own.map(({ id, section: of, title: what }) => {
    return { id, section: of, title: what };
  });
  return { section, title, document: `docs/interface.md#s${section}`, promises };
}

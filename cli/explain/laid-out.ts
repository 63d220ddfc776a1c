/** Lays out what is known of something: names on the left, texts wrapped beside them. */

import { wrap } from "../../report/text.ts";

/** What can be pasted, a command or a line of a file, is in one line, however long. */
export type Row = readonly [name: string, texts: readonly string[], kind?: "pasted"];

export function laidOut(head: string, rows: readonly Row[], width: number): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.flatMap(([name, texts, kind]) =>
    texts.flatMap((text, at) => {
      const parts = kind === "pasted" ? [text] : wrap(text, width - nameWidth - 4);
      return parts.map((line, part) => {
        return `  ${(at + part === 0 ? name : "").padEnd(nameWidth)}  ${line}`;
      });
    }),
  );
  return [head, ...lines].join("\n");
}

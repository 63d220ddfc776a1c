/** How wide what is written may be, where it goes to a pipe. */

import { expect, it } from "vitest";

import { createOutput } from "../../cli/output.ts";

const UNCUT = { width: 100, whole: true };

it.each([
  ["60", { width: 60, whole: false }],
  ["250", { width: 250, whole: false }],
  [undefined, UNCUT],
  ["", UNCUT],
  ["0", UNCUT],
  ["-60", UNCUT],
  ["wide", UNCUT],
])("COLUMNS=%s", (columns, style) => {
  const { talk, results } = createOutput({ COLUMNS: columns });
  if (process.stdout.isTTY !== true) expect(results).toMatchObject(style);
  if (process.stderr.isTTY !== true) expect(talk).toMatchObject(style);
});

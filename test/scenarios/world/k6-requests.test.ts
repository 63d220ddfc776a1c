/** What each of hundreds of virtual users evaluates before a step of requests. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../runner/package-root.ts";

/** A value is imported, and with it all that its file does at its top. */
const IMPORTED = /^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)";$/gm;

function evaluated(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORTED)) {
    evaluated(path.resolve(path.dirname(file), specifier), seen);
  }
  return seen;
}

/** With the judges it was 250 files and 37 ms of processor time for each virtual user. */
it("a virtual user that sends requests evaluates no judge, and few files", () => {
  const files = [...evaluated(path.join(ROOT, "scenarios", "capacity-requests.ts"))];
  const names = files.map((file) => path.relative(ROOT, file));
  expect(names.filter((name) => /^contract\/judg|^contract\/decode\/job/.test(name))).toEqual([]);
  expect(names).toContain("scenarios/client/burst.ts");
  expect(names.length).toBeLessThan(45);
});

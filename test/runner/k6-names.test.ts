/** The simulation's idea of what k6 gives to code, held against k6 itself. */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { expect, it } from "vitest";
import { k6Context } from "../../simulation/k6-context.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { k6Here } from "./k6-here.ts";

/** Every global, and what it and its prototype have; k6 refuses the names of its own modules. */
const NAMES = `
  const names = [];
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (["exports", "module", "open", "require"].includes(name)) continue;
    const value = globalThis[name];
    names.push(name);
    if (typeof value !== "object" && typeof value !== "function") continue;
    for (const key of Object.getOwnPropertyNames(value)) names.push(name + "." + key);
    if (value.prototype == null) continue;
    for (const key of Object.getOwnPropertyNames(value.prototype)) {
      names.push(name + ".prototype." + key);
    }
  }
  const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  for (const key of Object.getOwnPropertyNames(iterator)) names.push("iterators." + key);
`;

/** Annex B of the language: old members that nobody writes. ECMA-262 §B.2; and V8's own. */
const OLD = [
  /^Date\.prototype\.(toGMTString|getYear|setYear)$/,
  /^Object\.prototype\.__(define|lookup)[GS]etter__$/,
  /^RegExp\.(\$.|input|lastMatch|lastParen|leftContext|rightContext)$/,
  /^String\.prototype\.(anchor|big|blink|bold|fixed|fontcolor|fontsize|italics|link|small)$/,
  /^String\.prototype\.(strike|sub|sup)$/,
  /^Error\.stackTraceLimit$/,
  /^Symbol\.(asyncIterator|dispose|asyncDispose)$/,
];

it("has nothing that k6 does not have", async () => {
  await using folder = await temporaryFolder();
  const script = path.join(folder.path, "names.js");
  writeFileSync(script, `${NAMES}; export default () => {}; console.log(names.join(" "));`);
  const { path: k6 } = await k6Here();
  const { stdout, stderr } = spawnSync(k6, ["run", "--quiet", "--log-format=raw", script], {
    encoding: "utf8",
    env: { ...process.env, K6_NO_USAGE_REPORT: "true" },
  });
  const told = stdout + stderr;
  expect(told).toContain("Array.prototype.map");
  const known = new Set(told.split(/\s+/));
  const here: string[] = vm.runInContext(`(() => { ${NAMES} return names; })()`, k6Context());
  expect(here).toContain("Array.prototype.map");
  const more = here.filter((name) => !known.has(name) && !OLD.some((old) => old.test(name)));
  expect(more).toEqual([]);
});

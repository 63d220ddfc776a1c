/** A name for the state of the product's sources: what other sources found does not count. */

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../../runner/package-root.ts";

/** All that a simulated run is made of. */
const FOLDERS = ["contract", "gate", "receiver", "reference", "runner", "scenarios", "simulation"];

export function digestOfSources(): string {
  const hash = createHash("sha256");
  for (const folder of FOLDERS) {
    for (const file of globSync(`${folder}/**/*.ts`, { cwd: ROOT }).sort()) {
      hash.update(`${file}\n${readFileSync(path.join(ROOT, file), "utf8")}\n`);
    }
  }
  return hash.digest("hex").slice(0, 12);
}

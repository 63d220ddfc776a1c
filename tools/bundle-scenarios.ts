/** Bundles the scenarios: k6 takes half a second for the types of a hundred files at each start. */

import path from "node:path";
import { rolldown } from "rolldown";
import { ROOT } from "../runner/package-root.ts";
import { SCENARIOS } from "../scenarios/catalogue.ts";

/** One script for each file that k6 is given, and what they share, as ES modules in that folder. */
export async function bundleScenarios(folder: string): Promise<void> {
  const others = ["machine.ts", "capacity.ts", "capacity-requests.ts"];
  const files = [...SCENARIOS.map(({ file }) => file), ...others];
  const input = files.map((file) => path.join(ROOT, "scenarios", file));
  await using bundle = await rolldown({ input, cwd: ROOT, external: /^k6(?:\/|$)/ });
  await bundle.write({ dir: folder, format: "esm" });
}

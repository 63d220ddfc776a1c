/** The files that k6 runs. */

import path from "node:path";
import { ROOT } from "./package-root.ts";

/** Where a build puts the bundled scenarios, in the package. */
export const BUNDLES = "dist/k6";

/** Names a folder of bundles for a checkout, whose own scenarios are TypeScript. */
export const BUNDLES_VARIABLE = "PLUMBLINE_K6_BUNDLES";

/**
 * Absolute path of what k6 runs for a file of scenarios/: a bundle beside compiled code, which k6
 * starts faster; in a checkout the TypeScript itself, or a bundle that the environment names.
 */
export function scenarioScript(file: string): string {
  const isCompiled = path.extname(import.meta.filename) === ".js";
  const bundles = isCompiled ? path.join(ROOT, BUNDLES) : process.env[BUNDLES_VARIABLE] || null;
  if (bundles === null) return path.join(ROOT, "scenarios", file);
  return path.resolve(bundles, `${path.parse(file).name}.js`);
}

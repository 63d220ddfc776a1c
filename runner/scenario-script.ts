/** The files that k6 runs. */

import path from "node:path";
import { packageRoot } from "./package-root.ts";

/** Where a build puts the bundled scenarios, in the package. */
export const BUNDLES = "dist/k6";

/**
 * Absolute path of what k6 runs for a file of scenarios/: a bundle beside compiled code, which k6
 * starts faster; the TypeScript itself in a checkout.
 */
export function scenarioScript(file: string): string {
  const isCompiled = path.extname(import.meta.filename) === ".js";
  if (!isCompiled) return path.join(packageRoot(), "scenarios", file);
  return path.join(packageRoot(), BUNDLES, `${path.parse(file).name}.js`);
}

/**
 * Bundles the command line for the tests, which start it a hundred times: each start of the sources
 * resolves and links five hundred files, for half of its processor time.
 */

import { readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { rolldown } from "rolldown";
import { ROOT } from "../runner/package-root.ts";
import { BUNDLES } from "../runner/scenario-script.ts";
import { bundleScenarios } from "./bundle-scenarios.ts";

/** Where compiled code of the package lies, and npm leaves out what else is there. */
const COMPILED = "dist";

/**
 * Where what is started by name has to lie: the thread beside the command line that names it, the
 * load where it is in the package.
 */
const INPUT = {
  main: "cli/main.ts",
  "receiver-thread": "receiver/receiver-thread.ts",
  "generator/main": "generator/main.ts",
};

export interface TestPackage {
  /** The file to run. */
  cli: string;
  /** Of the scenarios' bundles. */
  scenarios: string;
}

/** A folder laid out like the installed package, with the checkout's own files in all but dist/. */
export async function bundlePackage(folder: string): Promise<TestPackage> {
  const { files } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")) as {
    files: readonly string[];
  };
  const kept = new Set(files.map((file) => file.split("/")[0] ?? ""));
  kept.delete(COMPILED);
  for (const name of ["package.json", "node_modules", ...kept]) {
    await symlink(path.join(ROOT, name), path.join(folder, name));
  }
  const scenarios = path.join(folder, BUNDLES);
  await Promise.all([bundleCli(path.join(folder, COMPILED)), bundleScenarios(scenarios)]);
  return { cli: path.join(folder, COMPILED, "main.js"), scenarios };
}

async function bundleCli(dir: string): Promise<void> {
  const input = Object.fromEntries(
    Object.entries(INPUT).map(([name, file]) => [name, path.join(ROOT, file)]),
  );
  // A package for histograms has such a call, of which nothing comes into the bundle's way.
  const checks = { eval: false };
  await using bundle = await rolldown({ input, cwd: ROOT, platform: "node", checks });
  await bundle.write({ dir, format: "esm" });
}

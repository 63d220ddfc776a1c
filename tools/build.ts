/**
 * `npm run build`: compiles the package to dist/, as Node strips no types below node_modules, and
 * bundles the scenarios to dist/k6. The scenarios and contract/ are shipped as TypeScript too:
 * stock k6 runs them.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { ROOT } from "../runner/package-root.ts";
import { BUNDLES } from "../runner/scenario-script.ts";
import { bundleScenarios } from "./bundle-scenarios.ts";
import { TYPES_CHECKED_VARIABLE } from "./check-environment.ts";

async function compile(): Promise<number> {
  const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const unchecked = process.env[TYPES_CHECKED_VARIABLE] ? ["--noCheck"] : [];
  const child = spawn(process.execPath, [compiler, "-p", "tsconfig.build.json", ...unchecked], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}

await rm(path.join(ROOT, "dist"), { recursive: true, force: true });
process.exitCode = await compile();
if (process.exitCode === 0) await bundleScenarios(path.join(ROOT, BUNDLES));

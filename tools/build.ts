/**
 * `npm run build`: compiles the package to dist/, as Node strips no types below node_modules. The
 * scenarios and contract/ are shipped as TypeScript too, because k6 runs them as they are.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");

await rm(path.join(ROOT, "dist"), { recursive: true, force: true });
const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
const child = spawn(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: ROOT,
  stdio: "inherit",
});
const [code] = (await once(child, "close")) as [number | null];
process.exitCode = code ?? 1;

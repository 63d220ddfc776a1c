#!/usr/bin/env node
/** The command `plumbline`; under an older Node it says so, before anything newer is loaded. */

import { isNewEnough, NODE_MAJOR_MIN } from "./node-version.ts";

/** Bad configuration; report/exit-codes.ts is not loaded yet. */
const EXIT_CONFIGURATION = 104;

const { node } = process.versions;
if (isNewEnough(node)) await import("./run.ts");
else {
  const remedy = `expected ${NODE_MAJOR_MIN} or newer; install it and try again`;
  process.stderr.write(`error (node-too-old): this is Node ${node}; ${remedy}\n`);
  process.exitCode = EXIT_CONFIGURATION;
}

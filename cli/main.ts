#!/usr/bin/env node
/** The command `plumbline`; under an older Node it says so, before anything newer is loaded. */

import { isNewEnough, NODE_MAJOR_MIN } from "./node-version.ts";

/** Bad configuration, and no verdict; report/exit-codes.ts is not loaded yet. */
const EXIT_CONFIGURATION = 104;
const EXIT_NO_VERDICT = 111;

const { node } = process.versions;
if (isNewEnough(node)) {
  // Without a file descriptor for each of its files it can't be loaded.
  await import("./run.ts").catch((error: unknown) => {
    process.stderr.write(`error (not-loaded): ${String(error).split("\n")[0]}\n`);
    process.exitCode = EXIT_NO_VERDICT;
  });
} else {
  const remedy = `expected ${NODE_MAJOR_MIN} or newer; install it and try again`;
  process.stderr.write(`error (node-too-old): this is Node ${node}; ${remedy}\n`);
  process.exitCode = EXIT_CONFIGURATION;
}

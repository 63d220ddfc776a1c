/** The command line that tests start: a bundle where `npm test` has made one, else the sources. */

import path from "node:path";
import { ROOT } from "../../runner/package-root.ts";
import { BUNDLED_CLI_VARIABLE } from "../../tools/check-environment.ts";

export const SOURCES = path.join(ROOT, "cli/main.ts");

/** Source: `tools/bundle-cli.ts`. */
const bundled = process.env[BUNDLED_CLI_VARIABLE] || null;

export const MAIN = bundled ?? SOURCES;

/** What Node made of a bundle goes with it: no other run of the tests has the same paths. */
export const MAIN_ENVIRONMENT: Readonly<Record<string, string>> =
  bundled === null ? {} : { NODE_COMPILE_CACHE: path.join(path.dirname(bundled), "compile-cache") };

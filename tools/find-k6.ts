/** Prints the path of the k6 to use, after building it if need be; progress goes to stderr. */

import { findK6 } from "../runner/find-k6.ts";
import { K6UnavailableError } from "../runner/k6-unavailable-error.ts";

const PREFIX = "plumbline set-up: ";

try {
  const onProgress = (text: string) => process.stderr.write(`${PREFIX}${text}\n`);
  const { path } = await findK6({ env: process.env, onProgress });
  process.stdout.write(`${path}\n`);
} catch (error) {
  if (!(error instanceof K6UnavailableError)) throw error;
  process.stderr.write(`${PREFIX}${error.message}\n`);
  process.exitCode = 104;
}

/** The k6 of this machine; one that is not there is built. */

import type { K6Binary } from "../../runner/find-k6.ts";
import { findK6 } from "../../runner/find-k6.ts";

export function k6Here(): Promise<K6Binary> {
  return findK6({ env: process.env, onProgress: () => {} });
}

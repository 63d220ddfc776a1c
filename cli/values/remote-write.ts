/** Reads where the metrics of a load run are sent; the name of the run is the time of its start. */

import { nowMs } from "../../clock/system-clock.ts";
import type { RemoteWrite } from "../../runner/remote-write.ts";
import type { OptionReader } from "./option-reader.ts";

const EXAMPLE = "http://127.0.0.1:9090/api/v1/write";

/** Runs are listed by their names, the latest first; null where the option was not given. */
export function readRemoteWrite(
  text: string | undefined,
  options: OptionReader,
  labels: Readonly<Record<string, string>> = {},
): RemoteWrite | null {
  const url = options.httpUrl("--prometheus-rw", text, EXAMPLE);
  // Reports and k6's own messages show it.
  if (url !== null && /[?#]/.test(url)) {
    const expected = "expected none in it; put a token in K6_PROMETHEUS_RW_HTTP_HEADERS";
    options.problem(`--prometheus-rw: the address holds a query or fragment; ${expected}`);
  }
  const run = new Date(nowMs()).toISOString().replace(/[.]\d+/, "");
  return url === null ? null : { url, run, labels };
}

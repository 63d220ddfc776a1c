/**
 * The report of a real run: the embedded service on a clock ten times as fast, with four faults.
 *
 *   plumbline gate --time-scale 0.1 --fault rate.sustained/8-percent-over --fault
 *   webhook.wait-2/4.5-s-late --fault timeout.not-late/3-s-late --fault job.forward-only/back-once
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Report } from "../../../report/model.ts";
import { reportSchema } from "../../../report/model.ts";

export function realRun(): Report {
  const file = path.join(import.meta.dirname, "real-run.json.gz");
  return reportSchema.parse(JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")));
}

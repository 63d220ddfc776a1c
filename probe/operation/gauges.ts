/** Gauges that are read at a scrape: jobs in flight, budget, journal. */

import { leftOf, UNITS } from "../../contract/limits/budget.ts";
import type { Ceilings } from "../journal/budget.ts";
import { SPANS, unknownSpendingOf } from "../journal/budget.ts";
import type { Metrics } from "../metrics/registry.ts";
import type { StatusBoard } from "../server/status-board.ts";
import type { Parts } from "./runs/run.ts";

export function refreshGauges(
  metrics: Metrics,
  board: StatusBoard,
  { clock, journal, target }: Parts,
  ceilings: Ceilings,
): void {
  const nowMs = clock.nowMs();
  metrics.setTime("plumbline_clock_timestamp_seconds", {}, nowMs);
  for (const { canary, count, oldestMs } of board.inFlight()) {
    const age = oldestMs === null ? 0 : (nowMs - oldestMs) / 1_000;
    metrics.set("plumbline_jobs_in_flight", { canary }, count);
    metrics.set("plumbline_jobs_in_flight_oldest_age_seconds", { canary }, age);
  }
  const isUnknown = unknownSpendingOf(target, journal) !== null;
  for (const span of SPANS) {
    const left = leftOf(ceilings[span], journal.spent(span, nowMs));
    for (const unit of UNITS) {
      const known = left[unit] ?? Number.POSITIVE_INFINITY;
      const value = isUnknown && Number.isFinite(known) ? 0 : known;
      metrics.set("plumbline_budget_left", { span, unit }, value);
    }
  }
  metrics.set("plumbline_journal_size_bytes", {}, journal.bytes());
  metrics.set("plumbline_journal_writable", {}, journal.writable ? 1 : 0);
}

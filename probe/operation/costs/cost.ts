/** What a run has cost, as far as it is known: an estimate until the service has said it. */

import { decodeJob } from "../../../contract/decode/job.ts";
import { namesAnother } from "../../../contract/judges/job/reading.ts";
import { differenceOf, largerOf, UNITS } from "../../../contract/limits/budget.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../../../contract/requests/exchange.ts";
import { isTerminal } from "../../../contract/states.ts";
import { ranMsOf } from "../runs/report-track.ts";
import type { Parts, Run } from "../runs/run.ts";
import { factsOf } from "../runs/run.ts";
import { statedCost } from "./prices.ts";
import { orderOf } from "./usual-costs.ts";

type Counting = Pick<Parts, "clock" | "emit" | "knowledge">;

/** Counts what the run has cost by what is known now, in place of what was counted before. */
export function countCost(parts: Counting, run: Run, cost: Run["cost"]): void {
  const { clock, emit, knowledge } = parts;
  const isFirst = cost.isStated && !run.cost.isStated;
  const order = isFirst ? orderOf(run.intent, run.submission?.requestBody) : null;
  if (order !== null) {
    const { canary, workerId } = run.intent;
    const atMs = clock.nowMs();
    const priced = { ...cost.spent, ranMs: ranMsOf(parts, run) };
    const raised = knowledge.costs.learn(canary, order, priced, atMs);
    const why = `a job of ${workerId} cost ${raised}`;
    if (raised !== null) emit({ type: "answer-fault", what: "raised-costs", why, atMs });
  }
  const change = differenceOf(cost.spent, run.cost.spent);
  run.cost = cost;
  emit({ type: "spent", run: factsOf(run), change });
}

/** One more job, which was found after the verdict on its run. */
export function countFound(parts: Counting, run: Run): void {
  countCost(parts, run, { ...run.cost, spent: { ...run.cost.spent, jobs: 1 } });
}

/**
 * Takes what a later answer says that the ended job cost. A cost is final: one that was stated
 * before is not lowered, as the budget is to hold whichever word is true.
 */
export function takeCost(parts: Parts, run: Run, body: unknown): void {
  const job = decodeJob(body).value;
  if (job === null || !isTerminal(job.state)) return;
  const stated = namesAnother(job, run.jobId) ? null : statedCost(job.cost);
  if (stated === null) return;
  const { spent: before, isStated } = run.cost;
  const spent = isStated ? largerOf(before, stated) : stated;
  const isNews = !isStated || UNITS.some((unit) => spent[unit] !== before[unit]);
  if (!isNews) return;
  // What can't be written now is kept by the journal and reported by it.
  parts.journal.amend(run.intent.runId, spent).catch(() => {});
  countCost(parts, run, { spent, isStated: true });
}

/** The same of an answer to a poll; one that failed says nothing. */
export function takeCostOf(parts: Parts, run: Run, poll: Exchange): void {
  if (isSuccess(poll)) takeCost(parts, run, jsonBody(poll));
}

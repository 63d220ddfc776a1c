/**
 * Submissions on an exhausted key, and a look at what they left behind. They are the only writes of
 * this scenario: at most five a round, of the cheap `success` part, counted against the budget.
 */

import type { Price } from "../../contract/budget.ts";
import { UNPRICED } from "../../contract/budget.ts";
import { decodeAccepted } from "../../contract/decode/accepted.ts";
import type { ListedJob } from "../../contract/decode/job-list.ts";
import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { jsonBody } from "../../contract/exchange.ts";
import type { RejectedRound, RejectedStage } from "../../contract/judges/rate/rejected-not-run.ts";
import { shotsWith } from "../../contract/judges/rate/trial.ts";
import { listedWorkers } from "../../contract/listed-workers.ts";
import { MARK_CHARS, markedInput, markOf } from "../../contract/marks.ts";
import type { WorkerPart } from "../../contract/run-plan.ts";
import { pacerFor } from "../client/pacer.ts";
import type { Charge, Spending } from "../client/spending.ts";
import type { LimitedKey } from "./key.ts";
import { ask, elsewhereCount, exhaust, fire, rest, volleySize } from "./key.ts";

/** The catalogue allows five submissions beyond the limit. */
const SUBMISSIONS = 5;
/** One accepted job of our own shows that the list is a witness. */
const JOBS_PER_ROUND = SUBMISSIONS + 1;
/** Ours: a job that a refused submission started is listed by then. */
const APPEARANCE_MS = 1_000;
/** Rounds in which a submission was refused: the second tells a stranger's job from ours. */
const REFUSED_ROUNDS_MAX = 2;
/** Ours: in a round a window may begin anew just before the submissions, and all are accepted. */
const ROUNDS_MAX = 4;

/** Submissions that may all be accepted go out only where the budget has room for all of them. */
export async function submitWhenExhausted(
  key: LimitedKey,
  spending: Spending,
): Promise<RejectedStage> {
  const part = key.plan.workers.success;
  if (part === undefined) return skipped("no worker plays the part `success`");
  const rounds: RejectedRound[] = [];
  let refusedRounds = 0;
  const price = await priceOf(key, part);
  while (rounds.length < ROUNDS_MAX && refusedRounds < REFUSED_ROUNDS_MAX) {
    if (spending.left() < JOBS_PER_ROUND) return { rounds, reason: BUDGET_REACHED };
    const round = await runRound(key, part, () => take(spending, part, price));
    if (round === null) return { rounds, reason: BUDGET_REACHED };
    rounds.push(round);
    if (!round.submissions.some((each) => each.status === 429)) continue;
    refusedRounds += 1;
    const settled = round.marked.length > 0 || round.unexplained.length === 0;
    if (settled) break;
  }
  return { rounds, reason: "" };
}

/** Asked for only where the budget has a ceiling in USD. The credits are told by the answer. */
async function priceOf(key: LimitedKey, { id }: WorkerPart): Promise<Price> {
  if (key.plan.budget.usd === null) return UNPRICED;
  await rest(key);
  const pacer = pacerFor(key.world, key.limit);
  const askPage = async (query: string) => {
    await pacer.turn();
    return ask(key, { route: "workers", query });
  };
  const entries = await listedWorkers(askPage, [id]);
  return { usd: entries.find((each) => each.id === id)?.priceUsd ?? null, credits: null };
}

function take(spending: Spending, { id }: WorkerPart, price: Price): Charge | null {
  const taken = spending.take(id, price);
  return typeof taken === "string" ? null : taken;
}

const BUDGET_REACHED = `the budget does not allow ${JOBS_PER_ROUND} more jobs`;

function skipped(reason: string): RejectedStage {
  return { rounds: [], reason };
}

/** null where the budget has no room for it. */
async function runRound(
  key: LimitedKey,
  part: WorkerPart,
  takeOne: () => Charge | null,
): Promise<RejectedRound | null> {
  await rest(key);
  const charge = takeOne();
  if (charge === null) return null;
  const control = await submit(key, part, `plumbline-control-${key.random.token(12)}`);
  charge.answered(control);
  const charges = Array.from({ length: SUBMISSIONS }, takeOne).filter((each) => each !== null);
  if (charges.length < SUBMISSIONS) {
    for (const each of charges) each.unsent();
    return null;
  }
  const before = await listJobs(key);
  const shots = await exhaust(key, volleySize(key.limit));
  const marks = Array.from({ length: SUBMISSIONS }, () => markOf(key.random.token(MARK_CHARS)));
  const reads = fire(key, readsToSpend(key, shots));
  const submissions = await Promise.all(marks.map((mark) => submit(key, part, mark)));
  for (const [index, each] of charges.entries()) {
    const submission = submissions[index];
    if (submission?.status === 429) each.unsent();
    else if (submission !== undefined) each.answered(submission);
  }
  await reads;
  await key.world.delay(APPEARANCE_MS);
  await rest(key);
  const after = await listJobs(key);
  const refusedMarks = marks.filter((_, index) => submissions[index]?.status === 429);
  const told = [control, ...submissions].flatMap(issuedId);
  const known = new Set([...told, ...(before ?? []).map((job) => job.id)]);
  const appeared = (after ?? []).filter((job) => !known.has(job.id) && isOf(job, part));
  return {
    submissions,
    listIsWitness: (after ?? []).some((job) => issuedId(control).includes(job.id)),
    unexplained: appeared.map((job) => job.id),
    marked: await markedAmong(key, appeared, refusedMarks),
  };
}

/** Ours: what is earned while these very reads and the submissions are sent. */
const EARNED_FACTOR = 1.5;

/** Reads that use up what the key has earned since its last answer 429. */
function readsToSpend({ limit, world }: LimitedKey, shots: readonly Exchange[]): number {
  const refusedAtMs = Math.max(...shotsWith(shots, "refused").map(({ sentAtMs }) => sentAtMs));
  if (refusedAtMs === Number.NEGATIVE_INFINITY) return elsewhereCount(limit);
  const earned = ((world.now() - refusedAtMs) / 1_000) * limit.sustained;
  return elsewhereCount(limit) + Math.ceil(earned * EARNED_FACTOR);
}

function submit(key: LimitedKey, part: WorkerPart, mark: string): Promise<Exchange> {
  return ask(key, {
    method: "POST",
    route: "submit",
    parameter: part.id,
    body: JSON.stringify(markedInput(part, mark)),
  });
}

function issuedId(submission: Exchange): string[] {
  if (submission.status !== 202) return [];
  const id = decodeAccepted(jsonBody(submission)).value?.id;
  return id == null ? [] : [id];
}

async function listJobs(key: LimitedKey): Promise<readonly ListedJob[] | null> {
  const answer = await ask(key, { route: "jobs" });
  return answer.status === 200 ? (decodeJobList(jsonBody(answer))?.jobs ?? null) : null;
}

function isOf(job: ListedJob, part: WorkerPart): boolean {
  return job.workerId === null || job.workerId === part.id;
}

/** Jobs that show the mark of a refused submission, in the list or in their own object. */
async function markedAmong(
  key: LimitedKey,
  jobs: readonly ListedJob[],
  marks: readonly string[],
): Promise<string[]> {
  const marked: string[] = [];
  for (const job of jobs.slice(0, SUBMISSIONS)) {
    const answer = await ask(key, { route: "job", parameter: job.id });
    const shown = JSON.stringify(job.entry) + answer.body;
    if (marks.some((mark) => shown.includes(mark))) marked.push(job.id);
  }
  return marked;
}

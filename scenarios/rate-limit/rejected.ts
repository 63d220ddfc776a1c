/**
 * Submissions on an exhausted key, and a check of what they left behind. They are the only writes
 * of this scenario: at most five a round, of the cheap `success` part, counted against the budget.
 */

import { listedWorkers } from "../../contract/answers/listed-workers.ts";
import { decodeAccepted } from "../../contract/decode/accepted.ts";
import { creditsPerRun } from "../../contract/decode/credit-price.ts";
import type { ListedJob } from "../../contract/decode/job-list.ts";
import { decodeJobList } from "../../contract/decode/job-list.ts";
import { MARK_CHARS, markedInput, markOf } from "../../contract/jobs/marks.ts";
import type { RejectedRound, RejectedStage } from "../../contract/judges/rate/rejected-not-run.ts";
import type { EndpointTrial, Return } from "../../contract/judges/rate/trial.ts";
import { shotsWith } from "../../contract/judges/rate/trial.ts";
import type { Price } from "../../contract/limits/budget.ts";
import { UNPRICED } from "../../contract/limits/budget.ts";
import { windowMs } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { jsonBody } from "../../contract/requests/exchange.ts";
import type { WorkerPart } from "../../contract/run/run-plan.ts";
import { pacerFor } from "../client/pacer.ts";
import { outlast, Patience } from "../client/patience.ts";
import type { Call } from "../client/send.ts";
import type { Charge, Spending } from "../client/spending.ts";
import { elsewhereCount } from "./bursts.ts";
import { exhaust } from "./exhaust.ts";
import type { LimitedKey } from "./key.ts";
import { ask, burstSize, hasTimeToSubmit, rest } from "./key.ts";
import { returnAfterThese } from "./returns.ts";
import { fire } from "./sending.ts";

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

/** Ours: others' jobs fall into both rounds and into no such quiet in 1 case of 45 at worst. */
const QUIET_FACTOR = 2;

/** Ours: as few as tell of a second wait. */
const RETURNING_SUBMISSIONS = 2;

/** What submissions on an exhausted key met, and what became of them. */
interface Refused extends RejectedStage {
  endpoints: readonly EndpointTrial[];
  /** After the waits that refused submissions were told. */
  returns: readonly Return[];
  /** Of a job that was accepted meanwhile. */
  jobId: string | null;
  left: Left;
}

/** What a refused submission that is carried out later would show, and which jobs are others. */
interface Left {
  marks: readonly string[];
  known: readonly string[];
}

export const NOTHING_LEFT: Left = { marks: [], known: [] };

/** Submissions that may all be accepted go out only where the budget has room for all of them. */
export async function submitWhenExhausted(key: LimitedKey, spending: Spending): Promise<Refused> {
  const part = key.plan.workers.success;
  const rounds: RejectedRound[] = [];
  const endpoints: EndpointTrial[] = [];
  const returns: Return[] = [];
  let jobId: string | null = null;
  let left = NOTHING_LEFT;
  const stage = (reason: string): Refused => ({ rounds, endpoints, returns, jobId, left, reason });
  if (part === undefined) return stage("no worker plays the part `success`");
  const price = await priceOf(key, part);
  const takeOne = () => take(spending, part, price);
  let refusedRounds = 0;
  const patience = new Patience();
  while (rounds.length < ROUNDS_MAX && refusedRounds < REFUSED_ROUNDS_MAX) {
    if (!hasTimeToSubmit(key)) return stage(NO_TIME);
    if (spending.left() < JOBS_PER_ROUND) return stage(spending.whyNot(BUDGET_REACHED));
    const startMs = key.world.now();
    const spentFactor = 2 ** (rounds.length - refusedRounds);
    const round = await runRound(key, part, takeOne, spentFactor);
    if (round === null) return stage(spending.whyNot(BUDGET_REACHED));
    if ("status" in round) {
      if (await outlast(key.world, patience, [round])) continue;
      return stage(`a submission within the plan got ${round.status}`);
    }
    const { beyond, accepted, marks, listed, told, ...judged } = round;
    // What a later round found listed may be what an earlier one left behind.
    const before = rounds.length === 0 ? listed : left.known;
    left = { marks: [...left.marks, ...marks], known: [...before, ...told] };
    const wasRefused = judged.submissions.some((each) => each.status === 429);
    const settled = judged.marked.length > 0 || judged.unexplained.length === 0;
    const quietMs = QUIET_FACTOR * (key.world.now() - startMs);
    const strangers = wasRefused && !settled ? await appearedWithin(key, part, quietMs) : [];
    rounds.push({ ...judged, strangers });
    jobId = accepted ?? jobId;
    for (const { reads, submissions, returns: back } of beyond) {
      endpoints.push({ exhaustedBy: reads, shots: submissions });
      returns.push(...back);
    }
    if (!wasRefused) {
      await outlast(key.world, patience, judged.submissions);
      // As long as this one, the next would meet the same moment of a window.
      await rest(key);
      await key.world.delay(key.random.next() * windowMs(key.limit));
      continue;
    }
    refusedRounds += 1;
    // What most met once, beside 429, may be an accident: another round tells.
    const isDoubted =
      refusedRounds < REFUSED_ROUNDS_MAX &&
      (await outlast(key.world, patience, judged.submissions));
    if (settled && !isDoubted) break;
  }
  return stage("");
}

/** Asked for in the units in which the budget has a ceiling: list and detail tell them. */
async function priceOf(key: LimitedKey, { id }: WorkerPart): Promise<Price> {
  const { usd, credits } = key.plan.budget;
  if (usd === null && credits === null) return UNPRICED;
  await rest(key);
  const pacer = pacerFor(key.world, key.limit);
  const askInPace = async (call: Partial<Call>) => {
    await pacer.turn();
    return ask(key, call);
  };
  const askPage = (query: string) => askInPace({ route: "workers", query });
  const entries = usd === null ? [] : await listedWorkers(askPage, [id]);
  const detail = credits === null ? null : await askInPace({ route: "worker", parameter: id });
  return {
    usd: entries.find((each) => each.id === id)?.priceUsd ?? null,
    credits: detail?.status === 200 ? creditsPerRun(jsonBody(detail)) : null,
  };
}

function take(spending: Spending, { id }: WorkerPart, price: Price): Charge | null {
  const taken = spending.take(id, price);
  return typeof taken === "string" ? null : taken;
}

const BUDGET_REACHED = `the budget does not allow ${JOBS_PER_ROUND} more jobs`;

const NO_TIME = "no time was left to submit on an exhausted key";

/** Requests beyond the limit: reads that exhaust the key, submissions, and coming back as told. */
interface Beyond {
  reads: readonly Exchange[];
  submissions: readonly Exchange[];
  returns: readonly Return[];
}

interface Beside {
  takeOne: () => Charge | null;
  /** So many times what the key earns is read meanwhile: a bucket may get it back in steps. */
  spentFactor: number;
}

/** One submission for each mark, on a key that has nothing left; null where one can't be paid. */
async function submitBeyond(
  key: LimitedKey,
  part: WorkerPart,
  marks: readonly string[],
  { takeOne, spentFactor }: Beside,
): Promise<Beyond | null> {
  const charges = marks.map(takeOne).filter((each) => each !== null);
  if (charges.length < marks.length) {
    for (const each of charges) each.unsent();
    return null;
  }
  const shots = await exhaust(key, burstSize(key.limit));
  const earned = readsToSpend(key, shots);
  const spending = fire(key, Math.min(earned * spentFactor, earned + key.limit.burst));
  const submissions = await Promise.all(marks.map((mark) => submit(key, part, mark)));
  for (const [index, each] of charges.entries()) {
    const submission = submissions[index];
    if (submission?.status === 429) each.unsent();
    else if (submission !== undefined) each.answered(submission);
  }
  const reads = [...shots, ...(await spending)];
  return { reads, submissions, returns: await returnAfterThese(key, reads, submissions) };
}

function isTurnedAway({ status }: Exchange): boolean {
  return status >= 400 && status !== 429;
}

interface Round extends RejectedRound {
  beyond: Beyond[];
  accepted: string | null;
  /** Of what was refused. */
  marks: readonly string[];
  /** Jobs before it, and those that it was told of. */
  listed: readonly string[];
  told: readonly string[];
}

/**
 * null where the budget does not allow it; the answer to the control where that was turned away, as
 * by a firewall or a plan without this worker, or failed: what becomes of others like it tells of
 * no limit.
 */
async function runRound(
  key: LimitedKey,
  part: WorkerPart,
  takeOne: () => Charge | null,
  spentFactor: number,
): Promise<Round | Exchange | null> {
  await rest(key);
  const charge = takeOne();
  if (charge === null) return null;
  const control = await submit(key, part, markOf(key.random.token(MARK_CHARS)));
  charge.answered(control);
  if (isTurnedAway(control)) return control;
  const before = await listJobs(key);
  const [marks, more] = [newMarks(key, SUBMISSIONS), newMarks(key, RETURNING_SUBMISSIONS)];
  const beside = { takeOne, spentFactor };
  const first = await submitBeyond(key, part, marks, beside);
  if (first === null) return null;
  const second = first.returns.length === 0 ? null : await submitBeyond(key, part, more, beside);
  const beyond = [first, ...(second === null ? [] : [second])];
  const submissions = beyond.flatMap((each) => each.submissions);
  await key.world.delay(APPEARANCE_MS);
  await rest(key);
  const after = await listJobs(key);
  const refusedMarks = [...marks, ...more].filter((_, at) => submissions[at]?.status === 429);
  const told = [control, ...submissions].flatMap(issuedId);
  const listed = (before ?? []).map((job) => job.id);
  const known = new Set([...told, ...listed]);
  const appeared = (after ?? []).filter((job) => !known.has(job.id) && isOf(job, part));
  return {
    beyond,
    accepted: issuedId(control)[0] ?? null,
    marks: refusedMarks,
    listed,
    told,
    submissions,
    listIsWitness: (after ?? []).some((job) => issuedId(control).includes(job.id)),
    unexplained: appeared.map((job) => job.id),
    marked: await markedAmong(key, appeared, refusedMarks),
  };
}

/**
 * A round of those submissions again, where a job shows one of their marks a while later: what was
 * refused was put aside, and carried out then. null where none does.
 */
export async function ranLater(
  key: LimitedKey,
  { rounds, left: { marks, known } }: Pick<Refused, "rounds" | "left">,
): Promise<RejectedRound | null> {
  const part = key.plan.workers.success;
  if (part === undefined || marks.length === 0) return null;
  if (key.revocation.isSeen || !hasTimeToSubmit(key)) return null;
  await rest(key);
  const later = (await listJobs(key)) ?? [];
  const appeared = later.filter((job) => !known.includes(job.id) && isOf(job, part));
  const inTurn = appeared.toSorted((a, b) => (a.createdAtMs ?? 0) - (b.createdAtMs ?? 0));
  const marked = await markedAmong(key, inTurn, marks);
  if (marked.length === 0) return null;
  const submissions = rounds.flatMap((round) => round.submissions);
  return { submissions, listIsWitness: false, unexplained: [], marked };
}

/** Jobs that come by themselves, as others use the account. */
async function appearedWithin(
  key: LimitedKey,
  part: WorkerPart,
  ms: number,
): Promise<readonly string[]> {
  const before = await listJobs(key);
  await key.world.delay(ms);
  const after = await listJobs(key);
  if (before === null || after === null) return [];
  const known = new Set(before.map(({ id }) => id));
  return after.filter((job) => !known.has(job.id) && isOf(job, part)).map(({ id }) => id);
}

function newMarks({ random }: LimitedKey, count: number): readonly string[] {
  return Array.from({ length: count }, () => markOf(random.token(MARK_CHARS)));
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

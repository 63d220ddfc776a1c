/**
 * Runs jobs of every part and watches their lives: the observations of the job promises. Spec §3.
 */

import { isSuccess } from "../../contract/exchange.ts";
import type { TimedSubmission } from "../../contract/judges/asynchronous.ts";
import { JOB_PROMISES } from "../../contract/judges/job.ts";
import { ACCEPTED_PROMISES } from "../../contract/judges/submit.ts";
import type { Part } from "../../contract/run-plan.ts";
import { PARTS } from "../../contract/run-plan.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { runLimitMs, submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { followToEnd, lookAgain } from "../client/follow.ts";
import type { FollowedJob } from "../client/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import { submit } from "../client/submit.ts";
import { listedObservation, listMeanwhile } from "./listed-jobs.ts";
import type { Step } from "./step.ts";

/** Ours: an ended job is looked at again this long after, as late changes need a while. */
const LATER_LOOKS_MS = [300, 900, 1_600];
const LATER_LOOK_MS = 1_000;
/** Ours: a timed-out job longer than this does not end within the profile's wait for one job. */
const RUN_LIMIT_MAX_MS = { quick: 30_000, standard: 240_000, soak: 240_000 };
/** Ours: jobs that the later steps need, left in the budget; of a small one, this share. */
const RESERVED_JOBS = 16;
const RESERVED_SHARE = 0.4;
/** Ours: repeated jobs show what goes wrong once in a while; a small budget goes without. */
const VOLUME_JOBS = 24;

/** Alone on a rested key, so that the polls are as dense as they may be and see each state. */
const WATCHED: readonly (readonly Part[])[] = [["success"], ["slow", "slow"]];
/** Order of submission: short and long ones in turn, so that a slow moment hits both alike. */
const ROUND: readonly Part[] = ["success", "slow", "success", "slow", "success"];

export const jobLivesStep: Step = {
  name: "job: jobs of every part, from submission to end",
  promises: ["submit.asynchronous"],
  observesFor: [...ACCEPTED_PROMISES, ...JOB_PROMISES],
  async run(context, catalogue) {
    const known = await catalogue();
    const once = PARTS.filter((part) => part !== "success" && part !== "slow");
    const others = once.filter((part) => fitsProfile(context, known, part));
    await context.rest(context.caller);
    const running: Running[] = [];
    for (const parts of WATCHED) {
      const watched = await runParts(context, known, parts);
      await Promise.all(watched.map((job) => job.ended));
      running.push(...watched);
    }
    running.push(...(await runParts(context, known, [...others, ...ROUND])));
    let isOver = false;
    const ending = Promise.all(running.map((job) => job.done));
    const over = ending.then(() => {
      isOver = true;
    });
    const lists = await listMeanwhile(context, () => isOver);
    await over;
    await runVolume(context, submissionOf(context, known, "success"));
    const fast = timed(context.jobs, "success");
    const slow = timed(context.jobs, "slow");
    const value = { fast, slow, without: withoutReason(context) };
    const asynchronous = { kind: "contract.asynchronous", value } as const;
    return [asynchronous, ...listedObservation(lists, context.jobs)];
  },
};

/** Whether one more job leaves enough of the budget to the steps that follow. */
function hasRoom({ spending }: Context): boolean {
  const { jobs } = spending.spent();
  const left = spending.left();
  return left > Math.min(RESERVED_JOBS, Math.floor((jobs + left) * RESERVED_SHARE));
}

interface Running {
  ended: Promise<void>;
  /** When it has been looked at again for the last time. */
  done: Promise<void>;
}

/** Submits one after the other and follows all side by side. */
async function runParts(
  context: Context,
  known: Catalogue,
  parts: readonly Part[],
): Promise<readonly Running[]> {
  const running: Running[] = [];
  for (const part of parts) {
    const submission = submissionOf(context, known, part);
    if (submission === null || !hasRoom(context)) continue;
    const job = await submit(context, submission);
    if (job === null) continue;
    context.jobs.push(job);
    const ended = followToEnd(context, job);
    const later = laterLooks(context, LATER_LOOKS_MS);
    running.push({ ended, done: ended.then(() => lookAgain(context, job, later)) });
  }
  return running;
}

function withoutReason(context: Context): string {
  if (context.caller === null) return "the plan names no active key";
  if (!hasRoom(context)) return "the budget ended before enough jobs were run";
  return "it takes two completed jobs of the success part and two of the slow part";
}

function fitsProfile(context: Context, known: Catalogue, part: Part): boolean {
  const id = context.plan.workers[part]?.id;
  if (part !== "timeout" || id === undefined) return true;
  return runLimitMs(context, known, id) <= RUN_LIMIT_MAX_MS[context.plan.profile];
}

async function followBeyond(
  context: Context,
  job: FollowedJob,
  laterMs: readonly number[],
): Promise<void> {
  await followToEnd(context, job);
  await lookAgain(context, job, laterMs);
}

/** More short jobs, where job.list-limit does not bring a hundred anyway and the budget allows. */
async function runVolume(context: Context, submission: Submission | null): Promise<void> {
  if (submission === null || context.asks("job.list-limit")) return;
  if (!context.asks(...ACCEPTED_PROMISES, ...JOB_PROMISES)) return;
  const room = context.spending.left() - RESERVED_JOBS;
  if (room < VOLUME_JOBS) return;
  const watch = context.asks(...JOB_PROMISES);
  const followed: Promise<void>[] = [];
  for (let n = 0; n < VOLUME_JOBS; n += 1) {
    const job = await submit(context, submission);
    if (job === null) break;
    context.jobs.push(job);
    if (watch) followed.push(followBeyond(context, job, laterLooks(context, [LATER_LOOK_MS])));
  }
  await Promise.all(followed);
}

function laterLooks(context: Context, afterMs: readonly number[]): readonly number[] {
  return context.asks("job.terminal-final", "job.never-lost") ? afterMs : [];
}

/** Jobs of a part with their spans; one that shares its identifier may show another job's end. */
function timed(jobs: readonly FollowedJob[], part: Part): readonly TimedSubmission[] {
  return jobs.flatMap((job) => {
    if (job.part !== part || job.endSeenAtMs === null || !isSuccess(job.submission)) return [];
    if (jobs.some((other) => other !== job && other.issuedId === job.issuedId)) return [];
    return [{ submission: job.submission, endSeenAtMs: job.endSeenAtMs }];
  });
}

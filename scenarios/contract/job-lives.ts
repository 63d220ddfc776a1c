/**
 * Runs jobs of every part and watches their lives: the observations of the job promises. Spec §3.
 */

import type { TimedSubmission } from "../../contract/judges/asynchronous/index.ts";
import { partEndNotes } from "../../contract/judges/job/part-ends.ts";
import { JOB_PROMISES } from "../../contract/judges/job.ts";
import { ACCEPTED_PROMISES } from "../../contract/judges/submit.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import type { Part } from "../../contract/run/run-plan.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { runLimitMs, submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { follow, followToEnd, pollAgain } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import { submit } from "../client/submit.ts";
import { tryFiles } from "../client/tried-files.ts";
import { listedObservation, listMeanwhile } from "./listed-jobs.ts";
import type { Step } from "./step.ts";

/** Ours: an ended job is polled again this long after, as late changes need a while. */
const LATER_POLLS_MS = [300, 900, 1_600];
const LATER_POLL_MS = 1_000;
/** Ours: one that was given up may end later, by so much of the wait for its end. */
const FOLLOW_ON_SHARE = 0.5;
const FOLLOW_ON_POLL_MS = 5_000;
/** Ours: a timed-out job longer than this does not end within the profile's wait for one job. */
const RUN_LIMIT_MAX_MS = { quick: 30_000, standard: 240_000, soak: 240_000 };
/** Ours: jobs that the later steps need, left in the budget; of a small one, this share. */
const RESERVED_JOBS = 16;
const RESERVED_SHARE = 0.4;
/** Ours: repeated jobs show what goes wrong once in a while; a small budget goes without. */
const VOLUME_JOBS = 24;
/** Ours: of so many jobs in a row, one's caller hangs up while the job has yet to run. */
const HANG_UP_EVERY = 3;

/**
 * On a rested key, so that the polls are as dense as they may be and see each state. What runs into
 * its limit takes longest, and is waited for beside all others.
 */
const WATCHED: readonly (readonly Part[])[] = [["success"], ["slow", "slow", "timeout"]];
/** Short and long ones in turn, so that a slow moment hits both alike. */
const IN_TURN: readonly Part[] = ["success", "slow", "success", "slow", "success"];
const ROUND: readonly Part[] = [
  ...PARTS.filter((part) => !WATCHED.flat().includes(part)),
  ...IN_TURN,
];

/**
 * Steps of one run: while the long jobs go on, others may begin, which need few requests of the
 * key; more short jobs, which need many, come after them.
 */
export function jobLivesSteps(): { begin: Step; end: Step; volume: Step } {
  const running: Running[] = [];
  let listing: ReturnType<typeof listUntil> | null = null;
  const begin: Step = {
    name: "job: jobs of every part, from submission to end",
    promises: ["submit.asynchronous"],
    observesFor: [...ACCEPTED_PROMISES, ...JOB_PROMISES],
    async run(context, catalogue) {
      const known = await catalogue();
      await context.rest(context.caller);
      for (const parts of WATCHED) {
        const watched = await runParts(context, known, parts);
        running.push(...watched);
        await shortOnes(watched, ["timeout"]);
      }
      const round = await runParts(context, known, ROUND);
      running.push(...round);
      listing = listUntil(context, Promise.all(running.map(({ done }) => done)));
      await shortOnes(round, ["slow"]);
      for (const note of partEndNotes(context.jobs)) context.progress(note);
      return [];
    },
  };
  const end: Step = {
    ...begin,
    name: "job: jobs that take long, to their end",
    async run(context) {
      if (listing === null) return [];
      return listedObservation(await listing, context.jobs);
    },
  };
  const volume: Step = {
    ...begin,
    name: "job: more short jobs",
    async run(context, catalogue) {
      await runVolume(context, submissionOf(context, await catalogue(), "success"));
      const fast = timed(context.jobs, "success");
      const slow = timed(context.jobs, "slow");
      const value = { fast, slow, without: withoutReason(context) };
      return [{ kind: "contract.asynchronous", value }];
    },
  };
  return { begin, end, volume };
}

/** Until all but those of the long parts were seen to end. */
async function shortOnes(running: readonly Running[], long: readonly Part[]): Promise<void> {
  await Promise.all(running.map(({ part, ended }) => (long.includes(part) ? undefined : ended)));
}

async function listUntil(
  context: Context,
  done: Promise<unknown>,
): Promise<readonly (readonly Exchange[])[]> {
  let isOver = false;
  const over = done.then(() => {
    isOver = true;
  });
  const [lists] = await Promise.all([listMeanwhile(context, () => isOver), over]);
  return lists;
}

/** Whether one more job leaves enough of the budget to the steps that follow. */
function hasRoom({ spending }: Context): boolean {
  const { jobs } = spending.spent();
  const left = spending.left();
  return left > Math.min(RESERVED_JOBS, Math.floor((jobs + left) * RESERVED_SHARE));
}

interface Running {
  part: Part;
  job: FollowedJob;
  ended: Promise<void>;
  /** When it has been polled again for the last time. */
  done: Promise<void>;
}

/**
 * Submits one after the other and follows all side by side. The last one's body is that of the one
 * before of its part, if there is one: a service may take it for the same job.
 */
async function runParts(
  context: Context,
  known: Catalogue,
  parts: readonly Part[],
): Promise<readonly Running[]> {
  const running: Running[] = [];
  for (const [at, part] of parts.entries()) {
    const submission = submissionOf(context, known, part);
    if (submission === null || !fitsProfile(context, known, part) || !hasRoom(context)) continue;
    const isLast = at === parts.length - 1;
    const before = running.findLast((each) => isLast && each.part === part);
    const again = before === undefined ? {} : { again: before.job.submission };
    const closes = at % HANG_UP_EVERY === HANG_UP_EVERY - 1;
    const { id } = submission.worker;
    // Of each worker the second has a long text, which grows old until the run ends.
    const isSecond = context.jobs.filter(({ workerId }) => workerId === id).length === 1;
    const text = isSecond ? { text: "long" as const } : {};
    const job = await submit(context, { ...submission, ...text, ...again, closes });
    if (job === null) continue;
    context.jobs.push(job);
    const ended = followToEnd(context, job);
    const later = laterPolls(context, LATER_POLLS_MS);
    const done = ended.then(() => followOn(context, job)).then(() => afterEnd(context, job, later));
    running.push({ part, job, ended, done });
  }
  return running;
}

/** One that was given up, beside other steps: what this run submits may have filled the queue. */
async function followOn(context: Context, job: FollowedJob): Promise<void> {
  if (job.endSeenAtMs !== null || job.gaveUpAtMs === null) return;
  const latestMs = job.gaveUpAtMs + FOLLOW_ON_SHARE * job.deadlineMs;
  const untilMs = Math.min(latestMs, context.deadlineAtMs - FOLLOW_ON_POLL_MS);
  await follow(context, job, { untilMs, waitMs: () => FOLLOW_ON_POLL_MS });
}

async function afterEnd(
  context: Context,
  job: FollowedJob,
  laterMs: readonly number[],
): Promise<void> {
  const trying = context.asks("job.files") ? tryFiles(context, job) : null;
  await Promise.all([pollAgain(context, job, laterMs), trying]);
}

function withoutReason(context: Context): string {
  if (context.caller === null) return "the plan names no active key";
  if (!hasRoom(context)) {
    return context.spending.whyNot("the budget ended before enough jobs were run");
  }
  return "it takes two completed jobs of the success part and two of the slow part";
}

function fitsProfile(context: Context, known: Catalogue, part: Part): boolean {
  const id = context.plan.workers[part]?.id;
  if (part !== "timeout" || id === undefined) return true;
  return runLimitMs(context, known, id) <= RUN_LIMIT_MAX_MS[context.plan.profile];
}

/** More short jobs, where job.list-limit does not bring a hundred anyway and the budget allows. */
async function runVolume(context: Context, submission: Submission | null): Promise<void> {
  if (submission === null || context.asks("job.list-limit")) return;
  if (!context.asks(...ACCEPTED_PROMISES, ...JOB_PROMISES)) return;
  const room = context.spending.left() - RESERVED_JOBS;
  if (room < VOLUME_JOBS) return;
  const watch = context.asks(...JOB_PROMISES);
  const later = laterPolls(context, [LATER_POLL_MS]);
  const followed: Promise<void>[] = [];
  for (let n = 0; n < VOLUME_JOBS; n += 1) {
    const job = await submit(context, submission);
    if (job === null) break;
    context.jobs.push(job);
    if (!watch) continue;
    followed.push(followToEnd(context, job).then(() => pollAgain(context, job, later)));
  }
  await Promise.all(followed);
}

function laterPolls(context: Context, afterMs: readonly number[]): readonly number[] {
  return context.asks("job.terminal-final", "job.never-lost") ? afterMs : [];
}

/**
 * Completed jobs of a part with their spans: one that was cancelled or failed did not run as long
 * as its part does, and one that shares its identifier may show another job's end.
 */
function timed(jobs: readonly FollowedJob[], part: Part): readonly TimedSubmission[] {
  return jobs.flatMap((job) => {
    if (job.part !== part || job.endSeenAtMs === null || !isSuccess(job.submission)) return [];
    if (job.end?.state !== "completed") return [];
    if (jobs.some((other) => other !== job && other.issuedId === job.issuedId)) return [];
    return [{ submission: job.submission, endSeenAtMs: job.endSeenAtMs }];
  });
}

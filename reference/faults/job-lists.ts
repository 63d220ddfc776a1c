/** Faults of the job list. */

import { LISTED_JOBS_MAX } from "../../contract/plans.ts";
import type { State } from "../../contract/states.ts";
import type { Hooks } from "../hooks.ts";
import { isDone, type Job } from "../jobs/job.ts";
import { at, onAnswer } from "./answers.ts";
import { type Fault, faults, faultsOf, ofJobs, sometimes, UNDER_LOAD } from "./fault.ts";
import { onJob } from "./job-views.ts";

const listing = (bend: Hooks["listed"]) => (): Partial<Hooks> => ({ listed: bend });

/** All of the account's jobs, newest first, from the latest on that its list has. */
function allFrom([latest]: readonly Job[], recent: readonly Job[]): readonly Job[] {
  return latest === undefined ? [] : recent.slice(0, recent.indexOf(latest) + 1).toReversed();
}

const latestFirst = (a: Job, b: Job) => b.submittedAtMs - a.submittedAtMs;

/** The latest by a time of theirs. */
const latestBy = (timeMs: (job: Job) => number) =>
  listing((_jobs, recent) =>
    recent.toSorted((a, b) => timeMs(b) - timeMs(a)).slice(0, LISTED_JOBS_MAX),
  );

/** As an index has it that missed all that came after. */
function asAccepted(job: Job): Job {
  return { ...job, state: "queued", startedAtMs: null, finishedAtMs: null, performance: null };
}

/** As of a preload whose key is too coarse. */
function latestEnd(job: Job, jobs: readonly Job[]): State {
  const secondOf = ({ submittedAtMs }: Job) => Math.floor(submittedAtMs / 1_000);
  const alike = jobs.filter((each) => {
    return isDone(each) && each.worker === job.worker && secondOf(each) === secondOf(job);
  });
  return isDone(job) ? (alike.toSorted(latestFirst)[0] ?? job).state : job.state;
}

/**
 * A thread goes on with the account that it served before, 1 list in `oneOf`, as a pool does that
 * clears no thread's locals when a request was cut short.
 */
const ofThreadBefore = (oneOf: number) =>
  sometimes(oneOf, (isTime, { random }) => {
    const served = new Map<number, string>();
    let before: string | null = null;
    return {
      authenticate(outcome) {
        const thread = Math.floor(random() * THREADS);
        before = served.get(thread) ?? null;
        if (outcome.key !== null) served.set(thread, outcome.key.account);
        return outcome;
      },
      listed(jobs, _recent, strangers) {
        const others = isTime() ? strangers().filter(({ account }) => account.id === before) : [];
        return others.length === 0 ? jobs : others.slice(-LISTED_JOBS_MAX).toReversed();
      },
    };
  });

/** Ours: as many as small pools have. */
const THREADS = 6;

export const JOB_LIST_FAULTS: readonly Fault[] = [
  ...faultsOf("job.list-limit", {
    "one-too-many": [
      "The list has 101 jobs",
      listing((jobs, recent) => allFrom(jobs, recent).slice(0, LISTED_JOBS_MAX + 1)),
    ],
    all: ["The list has all jobs", listing(allFrom)],
    "older-ones": [
      "The list omits the 21st to 50th of the latest jobs",
      listing((jobs, recent) => {
        const all = allFrom(jobs, recent);
        return [...all.slice(0, 20), ...all.slice(50)].slice(0, LISTED_JOBS_MAX);
      }),
    ],
    "failed-twice": [
      "The list has each failed job twice, as of a join with two rows of its error",
      listing((jobs) =>
        jobs
          .flatMap((job) => (job.state === "failed" ? [job, job] : [job]))
          .slice(0, LISTED_JOBS_MAX),
      ),
    ],
    "cut-at-16-kib": [
      "The list ends after 16 KiB",
      () =>
        onAnswer(at("jobs", "served"), (answer) => ({
          ...answer,
          text: JSON.stringify(answer.body).slice(0, 16_384),
        })),
      // A list of fewer jobs, or of less about each, is shorter.
      { choices: { jobsEntries: "full", listLength: "100" } },
    ],
    "of-all-accounts": [
      "The list has the caller's of the latest 100 jobs of all accounts",
      listing((jobs, _recent, strangers) => {
        const all = [...jobs, ...strangers()].toSorted(latestFirst).slice(0, LISTED_JOBS_MAX);
        return jobs.filter((job) => all.includes(job));
      }),
      { choices: { listLength: "100" }, ...UNDER_LOAD },
    ],
    "near-ninety": ["The list has the latest 90 jobs", listing((jobs) => jobs.slice(0, 90))],
  }),
  ...faultsOf("job.list-own", {
    "latest-missing": [
      "The list omits the latest job",
      listing((jobs, recent) => allFrom(jobs, recent).slice(1, jobs.length + 1)),
      { companions: ["job.list-limit"] },
    ],
    "of-the-thread-before": [
      "1 list in 6 is that of the account which the same thread served before, if it was another",
      ofThreadBefore(6),
      { curve: true, seenWith: ["load.errors", "rate.rejected-not-run"] },
    ],
    strangers: [
      "The list shows a job of another account",
      listing((jobs, _recent, strangers) => {
        const stranger = strangers().at(-1);
        return stranger === undefined ? jobs : [stranger, ...jobs.slice(0, LISTED_JOBS_MAX - 1)];
      }),
    ],
  }),
  ...faults(UNDER_LOAD, {
    "job.list-own/by-end": [
      "The list has the jobs that ended last",
      latestBy((job) => job.finishedAtMs ?? 0),
    ],
    "job.list-own/near-by-change": [
      "The list has the jobs that changed last",
      latestBy((job) => job.finishedAtMs ?? job.startedAtMs ?? job.submittedAtMs),
    ],
  }),
  ...faultsOf("job.forward-only", {
    "listed-queued": [
      "1 job in 8 stays queued in the list",
      ofJobs(8, (chosen) => ({
        listed: (jobs) => jobs.map((job) => (chosen(job) ? asAccepted(job) : job)),
      })),
      { seenWith: ["job.list-limit"] },
    ],
    "kept-as-first-read": [
      "1 job in 3 without a webhook is shown as it was read first for ever, and ends in the list",
      ofJobs(3, (chosen) => {
        const first = new WeakMap<Job, unknown>();
        // What webhooks tell of the others is another promise's.
        const isKept = (job: Job) => job.webhook === null && chosen(job);
        return onJob(isKept, (body, job) => {
          if (!first.has(job)) first.set(job, body);
          return first.get(job);
        });
      }),
      { seenWith: ["job.list-limit", "job.list-own"] },
    ],
  }),
  ...faultsOf("job.terminal-final", {
    "listed-as-neighbour": [
      "An ended job has the end of the latest one of its worker and second in the list",
      listing((jobs) => jobs.map((job) => ({ ...job, state: latestEnd(job, jobs) }))),
      { seenWith: ["job.list-limit", "cancel.queued"] },
    ],
  }),
];

/** Faults of the job list. */

import { LISTED_JOBS_MAX } from "../../contract/plans.ts";
import type { Hooks } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import { at, onAnswer } from "./answers.ts";
import { type Fault, faultsOf } from "./fault.ts";

const listing = (bend: Hooks["listed"]) => (): Partial<Hooks> => ({ listed: bend });

/** The list with as many older jobs at its end as it lacks to have this length. */
function filledUp(
  jobs: Parameters<Hooks["listed"]>[0],
  recent: Parameters<Hooks["listed"]>[1],
  length: number,
) {
  const older = recent.slice(0, -LISTED_JOBS_MAX).toReversed();
  return [...jobs, ...older].slice(0, length);
}

/** The latest by a time of theirs. */
const latestBy = (timeMs: (job: Job) => number) =>
  listing((_jobs, recent) =>
    recent.toSorted((a, b) => timeMs(b) - timeMs(a)).slice(0, LISTED_JOBS_MAX),
  );

export const JOB_LIST_FAULTS: readonly Fault[] = [
  ...faultsOf("job.list-limit", {
    "one-too-many": [
      "The list has 101 jobs",
      listing((jobs, recent) => filledUp(jobs, recent, LISTED_JOBS_MAX + 1)),
    ],
    all: [
      "The list has all jobs",
      listing((jobs, recent) => filledUp(jobs, recent, recent.length)),
    ],
    "older-ones": [
      "The list omits the 21st to 50th of the latest jobs",
      listing((jobs, recent) =>
        filledUp([...jobs.slice(0, 20), ...jobs.slice(50)], recent, LISTED_JOBS_MAX),
      ),
    ],
    "cut-at-16-kib": [
      "The list ends after 16 KiB",
      () =>
        onAnswer(at("jobs", "served"), (answer) => ({
          ...answer,
          text: JSON.stringify(answer.body).slice(0, 16_384),
        })),
    ],
    "near-ninety": ["The list has the latest 90 jobs", listing((jobs) => jobs.slice(0, 90))],
  }),
  ...faultsOf("job.list-own", {
    "latest-missing": [
      "The list omits the latest job",
      listing((jobs, recent) => filledUp(jobs.slice(1), recent, jobs.length)),
      { companions: ["job.list-limit"] },
    ],
    strangers: [
      "The list shows a job of another account",
      listing((jobs, _recent, strangers) => {
        const stranger = strangers().at(-1);
        return stranger === undefined ? jobs : [stranger, ...jobs.slice(0, LISTED_JOBS_MAX - 1)];
      }),
    ],
  }),
  ...faultsOf(
    "job.list-own",
    {
      "by-end": ["The list has the jobs that ended last", latestBy((job) => job.finishedAtMs ?? 0)],
      "near-by-change": [
        "The list has the jobs that changed last",
        latestBy((job) => job.finishedAtMs ?? job.startedAtMs ?? job.submittedAtMs),
      ],
    },
    { seenWith: ["load.no-losses"] },
  ),
];

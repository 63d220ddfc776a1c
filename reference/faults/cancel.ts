/**
 * Faults of cancelling: queued jobs that are not, running and ended ones that are. A cancelled job
 * that runs later has changed after its end: hence the companion.
 */

import type { State } from "../../contract/states.ts";
import type { Hooks } from "../hooks.ts";
import { isDone, type Job } from "../jobs/job.ts";
import { because, type Fields, onBody } from "./answers.ts";
import { type Fault, type FaultScene, faultsOf, ofJobs } from "./fault.ts";
import {
  archived,
  asRunning,
  both,
  endedBefore,
  jobs,
  ofState,
  onJob,
  withTimes,
} from "./job-views.ts";

/** It changes after its end, which a load asks about as well. */
const ENDS_TWICE = { companions: ["job.terminal-final"] } as const;

/** Says yes, and lets 1 job in `oneOf` run; `ending` is what becomes of it. */
const lettingRun = (oneOf: number, ending: "cancelled" | null) =>
  ofJobs(oneOf, (chosen) => {
    const spared = new WeakSet<Job>();
    return {
      cancel(effect, job) {
        if (effect !== "cancel" || !chosen(job)) return effect;
        spared.add(job);
        return "ignore";
      },
      ending: (state, job) => (spared.has(job) ? (ending ?? state) : state),
    };
  });

/**
 * 1 cancelled job in `oneOf` is shown as cancelled, and left in the queue: it runs, completes and
 * is shown so then.
 */
const completingUnseen = (oneOf: number) =>
  ofJobs(oneOf, (chosen, { clock }) => {
    const cancelledAtMs = new WeakMap<Job, number>();
    return {
      cancel(effect, job) {
        if (effect !== "cancel" || !chosen(job)) return effect;
        cancelledAtMs.set(job, clock.nowMs());
        return "ignore";
      },
      ...onJob(
        (job) => cancelledAtMs.has(job) && !isDone(job),
        (body, job) => asCancelled(body, cancelledAtMs.get(job) ?? 0),
      ),
    };
  });

function asCancelled(body: Fields, atMs: number): Fields {
  const status = "timestamps" in body ? "CANCELED" : "cancelled";
  const at = new Date(atMs).toISOString();
  return withTimes({ ...body, status }, (times, { started, finished }) => ({
    ...times,
    ...(started === null ? {} : { [started]: null }),
    ...{ [finished]: at, duration_ms: 0 },
  }));
}

/** Every job waits so long, in ms, that a cancel finds it, and starts within 2 s of that. */
const WAIT_MS = 1_500;

/** A worker has taken the job: the answer calls it cancelled, and it starts all the same. */
const startingUnasked = ({ clock, timeScale }: FaultScene): Partial<Hooks> => ({
  queueMs: () => WAIT_MS * timeScale,
  cancel: (effect) => (effect === "cancel" ? "ignore" : effect),
  ...onBody(because("cancelled"), (body) => asCancelled(body, clock.nowMs())),
});

/** Lets a cancel work on the jobs that `which` picks. */
export const cancelling = (which: (job: Job) => boolean) => (): Partial<Hooks> => ({
  cancel: (effect, job) => (which(job) ? "cancel" : effect),
});

/** A cancel ends a job that runs, though not as cancelled. */
const endingRuns = (end: State) => (): Partial<Hooks> => ({
  cancel: (effect, { state }) => (state === "running" ? "cancel" : effect),
  ending: (state, { startedAtMs }) => (state === "cancelled" && startedAtMs !== null ? end : state),
});

const beforeItsEnd =
  (leftMs: number) =>
  ({ clock }: FaultScene): Partial<Hooks> => ({
    cancel(effect, { state, startedAtMs, runMs }) {
      const endMs = (startedAtMs ?? 0) + runMs;
      return state === "running" && endMs - clock.nowMs() < leftMs ? "cancel" : effect;
    },
  });

export const CANCEL_FAULTS: readonly Fault[] = [
  ...faultsOf("cancel.queued", {
    ignored: ["A cancelled job runs and completes", lettingRun(1, null)],
    "once-in-a-while": [
      "1 cancelled job in 2 runs and completes",
      lettingRun(2, null),
      { curve: true },
    ],
    "completes-unseen": [
      "1 cancelled job in 2 is shown as cancelled, and completes all the same",
      completingUnseen(2),
    ],
    "starts-within-2-s": [
      "A job that is answered 200 as cancelled starts within 2 s of that, and completes",
      startingUnasked,
      { choices: { slots: "unlimited", cancelAnswer: "job" } },
    ],
    "runs-first": ["A cancelled job runs before it ends as cancelled", lettingRun(1, "cancelled")],
    "ends-as-failed": [
      "A queued job that is cancelled ends as failed",
      () => ({ ending: (state) => (state === "cancelled" ? "failed" : state) }),
    ],
    "revives-after-25-s": [
      "1 cancelled job in 2 is shown as running from 25 s after its end on",
      jobs(both(ofState("cancelled"), endedBefore(25_000)), asRunning, 2),
      { seenWith: ["webhook.once"], companions: ["job.terminal-final"] },
    ],
    "near-tells-that-it-rests": [
      "A cancelled job tells from 25 s after its end on that it is archived",
      jobs(both(ofState("cancelled"), endedBefore(25_000)), archived),
      { seenWith: ["webhook.once"] },
    ],
    refused: ["A queued job can't be cancelled", () => ({ cancel: () => "refuse" })],
    "refused-after-2-s": [
      "A job that has been queued for 2 s can't be cancelled",
      ({ clock, timeScale }) => ({
        cancel: (effect, job) =>
          clock.nowMs() - job.submittedAtMs > 2_000 * timeScale && !isDone(job) ? "refuse" : effect,
      }),
    ],
  }),
  ...faultsOf("cancel.not-running", {
    cancelled: ["A running job is cancelled", cancelling((job) => job.state === "running")],
    fails: ["A running job fails when it is to be cancelled", endingRuns("failed")],
    completes: [
      "A running job completes at once when it is to be cancelled",
      endingRuns("completed"),
    ],
    "near-short-runs": [
      "1 job in 2 that stays within its limit takes a third of its usual time",
      ofJobs(2, (chosen, { timeScale }) => ({
        runMs: (runMs, job) =>
          runMs < job.worker.timeoutSeconds * 1_000 * timeScale && chosen(job) ? runMs / 3 : runMs,
      })),
    ],
    "before-its-end": [
      "A running job is cancelled in its last 2 s",
      beforeItsEnd(2_000),
      // The later a cancel shows, the sooner before the end it has to be sent.
      { choices: { cancelAfter: "0", jobViews: "0" } },
    ],
    "by-itself": [
      "1 job in 20 is cancelled at the end of its run, though nobody asked for it",
      ofJobs(20, (chosen) => ({
        ending: (state, job) => (state === "completed" && chosen(job) ? "cancelled" : state),
      })),
      { variants: ["A"], seenWith: ["job.list-limit"] },
    ],
  }),
  ...faultsOf("cancel.not-terminal", {
    cancelled: ["A job that ended is cancelled", cancelling(isDone), ENDS_TWICE],
    "completed-cancelled": [
      "A job that completed is cancelled",
      cancelling((job) => job.state === "completed"),
      ENDS_TWICE,
    ],
  }),
];

/** What a problem is about: a closed set, each with a title and the runbook that helps. */

import type { PromiseId } from "../../contract/promises.ts";
import { promiseEntry } from "../../contract/promises.ts";
import type { AnswerFault, SkipReason } from "../events.ts";
import type { Outcome } from "../outcome.ts";
import { servedWell } from "../outcome.ts";

export interface Cause {
  /** Stays the same as long as the problem lasts. */
  id: string;
  /** What is wrong, without a full stop. */
  title: string;
  /** Name of a page in docs/runbooks. */
  runbook: string;
  /** The promise that is broken; left out of causes of other kinds. */
  promise?: PromiseId;
}

type Titled = readonly [title: string, runbook: string];

const CANARY_FAILING = "PlumblineCanaryFailing";
const API_AVAILABLE = "PlumblineApiAvailableBurn";
const RESPONSES_FAULTY = "PlumblineResponsesFaulty";
const PROMISE_BROKEN = "PlumblinePromiseBroken";
const PROBE_BLIND = "PlumblineProbeBlind";
const CANARY_BLIND = "PlumblineCanaryBlind";
const PROBE_OVERLOADED = "PlumblineProbeOverloaded";

const OF_OUTCOME: Readonly<Record<Exclude<Outcome, "success">, Titled>> = {
  wrong_state: ["Jobs end in the wrong state", CANARY_FAILING],
  wrong_result: ["Jobs end with a wrong result", CANARY_FAILING],
  deadline: ["Jobs do not end within their deadline", CANARY_FAILING],
  http_error: ["Requests fail", CANARY_FAILING],
  rate_limited: ["The service rate-limits the probe's key", "PlumblineRateLimitedWithinPlan"],
  auth: ["The service rejects the probe's key", "PlumblineKeyRejected"],
  credits: ["Submissions are refused for want of credits", "PlumblineCreditsLow"],
  ambiguous_submission: ["Submissions get no response; jobs may be running", CANARY_BLIND],
  probe_error: ["The probe could not finish its run", CANARY_BLIND],
};

const OF_SKIP: Readonly<Record<Exclude<SkipReason, "rate_limited">, Titled>> = {
  paused: ["Runs were skipped while the probe was suspended", PROBE_OVERLOADED],
  overlap: ["Runs are skipped: earlier ones are still in flight", "PlumblineJobsStuck"],
  budget: ["Runs are skipped: the budget is used up", "PlumblineBudgetLow"],
  journal: ["Runs are skipped: the journal cannot be written", "PlumblineJournalFailing"],
  stopping: ["Runs are skipped: the probe is stopping", "PlumblineProbeDown"],
};

const OF_ANSWERS: Readonly<Record<AnswerFault, Titled>> = {
  "rejected-key": ["The service rejects a key that it accepts before and after", RESPONSES_FAULTY],
  slow: ["Responses take seconds, or do not come", RESPONSES_FAULTY],
  "awaits-run": [
    "The service responds to submissions only when the job has run (submit.asynchronous)",
    RESPONSES_FAULTY,
  ],
  "failed-polls": ["Some polls fail between good ones", RESPONSES_FAULTY],
  "lost-submissions": [
    "Submissions get no usable response, though their jobs may run",
    RESPONSES_FAULTY,
  ],
  "raised-costs": ["Jobs cost several times as much as usual", RESPONSES_FAULTY],
  "stale-polls": ["Polls show jobs as they were, after their webhooks", RESPONSES_FAULTY],
};

const OF_PROBE = {
  "webhook.missing": ["Webhooks are missing", "PlumblineWebhookMissing"],
  certificate: ["The service's certificate expires soon", "PlumblineCertificateExpiring"],
  "receiver-certificate": [
    "The certificate of the webhook receiver's address expires soon",
    "PlumblineReceiverLost",
  ],
  silent: ["No run has had a verdict for too long", "PlumblineProbeStalled"],
  journal: ["The probe's journal fails", "PlumblineJournalFailing"],
  "target-file": [
    "The changed target file is invalid; the probe keeps the previous one",
    "PlumblineConfigStale",
  ],
  receiver: ["The probe cannot receive webhooks", "PlumblineReceiverLost"],
  suspended: ["The probe's machine was suspended", PROBE_OVERLOADED],
  "clock-set": ["The clock of the probe's machine was set", PROBE_OVERLOADED],
  "no-canary": ["No canary is configured: nothing is watched", PROBE_BLIND],
} as const satisfies Readonly<Record<string, Titled>>;

function cause(id: string, [title, runbook]: Titled): Cause {
  return { id, title, runbook };
}

export function causeOfOutcome(outcome: Exclude<Outcome, "success">): Cause {
  return cause(`outcome.${outcome}`, OF_OUTCOME[outcome]);
}

/** Runs that are skipped during a pause and the run that was answered 429 have one cause. */
export function causeOfSkip(reason: SkipReason): Cause {
  if (reason === "rate_limited") return causeOfOutcome(reason);
  return cause(`skipped.${reason}`, OF_SKIP[reason]);
}

export function causeOfProbe(id: keyof typeof OF_PROBE): Cause {
  return cause(id, OF_PROBE[id]);
}

export function causeOfAnswers(what: AnswerFault): Cause {
  return cause(`answers.${what}`, OF_ANSWERS[what]);
}

export function causeOfPromise(promise: PromiseId): Cause {
  const title = `Broken promise ${promise}: ${promiseEntry(promise).title}`;
  return { ...cause(promise, [title, PROMISE_BROKEN]), promise };
}

/** One that was refused has the cause of the runs that were: one key, or account, is at fault. */
export function causeOfCheck(outcome: Outcome): Cause {
  const isRefused = outcome !== "success" && servedWell(outcome) === "unknown";
  if (isRefused) return causeOfOutcome(outcome);
  return cause("checks", ["API checks fail", API_AVAILABLE]);
}

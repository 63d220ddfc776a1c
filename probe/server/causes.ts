/** What a problem is about: a closed set, each with a title and the runbook that helps. */

import type { PromiseId } from "../../contract/promises.ts";
import { promiseEntry } from "../../contract/promises.ts";
import type { ApiCheck, SkipReason } from "../events.ts";
import type { Outcome } from "../outcome.ts";

export interface Cause {
  /** Stays the same as long as the problem lasts. */
  id: string;
  /** What is wrong, without a full stop. */
  title: string;
  /** Name of a page in docs/runbooks. */
  runbook: string;
}

const CANARY_FAILING = "PlumblineCanaryFailing";
const PROBE_BLIND = "PlumblineProbeBlind";

const OF_OUTCOME: Readonly<Record<Exclude<Outcome, "success">, readonly [string, string]>> = {
  wrong_state: ["Jobs end in the wrong state", CANARY_FAILING],
  wrong_result: ["Jobs end with a wrong result", CANARY_FAILING],
  deadline: ["Jobs do not end within their deadline", CANARY_FAILING],
  http_error: ["Requests fail", CANARY_FAILING],
  rate_limited: ["The service rate-limits the probe's key", PROBE_BLIND],
  auth: ["The service rejects the probe's key", PROBE_BLIND],
  credits: ["The probe's account is out of credits", "PlumblineCreditsLow"],
  ambiguous_submission: ["Submissions get no answer; jobs may be running", PROBE_BLIND],
  probe_error: ["The probe could not finish its run", PROBE_BLIND],
};

const OF_SKIP: Readonly<Record<SkipReason, readonly [string, string]>> = {
  paused: ["Runs were skipped while the probe was suspended", "PlumblineProbeOverloaded"],
  overlap: ["Runs are skipped: earlier ones are still in flight", "PlumblineJobsStuck"],
  budget: ["Runs are skipped: the budget is used up", "PlumblineBudgetLow"],
  journal: ["Runs are skipped: the journal cannot be written", "PlumblineJournalFailing"],
  rate_limited: ["Runs are skipped: the service rate-limits the probe's key", PROBE_BLIND],
  stopping: ["Runs are skipped: the probe is stopping", "PlumblineProbeDown"],
};

/** The catalogue of an outcome that is no success. */
export function causeOfOutcome(outcome: Exclude<Outcome, "success">): Cause {
  const [title, runbook] = OF_OUTCOME[outcome];
  return { id: `outcome.${outcome}`, title, runbook };
}

export function causeOfSkip(reason: SkipReason): Cause {
  const [title, runbook] = OF_SKIP[reason];
  return { id: `skipped.${reason}`, title, runbook };
}

export function causeOfPromise(promise: PromiseId): Cause {
  const title = `Broken promise ${promise}: ${promiseEntry(promise).title}`;
  return { id: promise, title, runbook: "PlumblinePromiseBroken" };
}

export function causeOfCheck(check: ApiCheck): Cause {
  const title = `The API check "${check}" fails`;
  return { id: `check.${check}`, title, runbook: "PlumblineApiAvailableBurn" };
}

export const WEBHOOK_MISSING: Cause = {
  id: "webhook.missing",
  title: "Webhooks are missing",
  runbook: "PlumblineWebhookMissing",
};

export const SILENT: Cause = {
  id: "silent",
  title: "No run has had a verdict for too long",
  runbook: "PlumblineProbeStalled",
};

export const JOURNAL: Cause = {
  id: "journal",
  title: "The probe's journal fails",
  runbook: "PlumblineJournalFailing",
};

export const TARGET_FILE: Cause = {
  id: "target-file",
  title: "The changed target file is invalid; the probe keeps the previous one",
  runbook: "PlumblineConfigStale",
};

export const RECEIVER: Cause = {
  id: "receiver",
  title: "The probe cannot receive webhooks",
  runbook: "PlumblineReceiverLost",
};

export const SUSPENDED: Cause = {
  id: "suspended",
  title: "The probe's machine was suspended",
  runbook: "PlumblineProbeOverloaded",
};

export const CLOCK_SET: Cause = {
  id: "clock-set",
  title: "The clock of the probe's machine was set",
  runbook: "PlumblineProbeOverloaded",
};

export const NOTHING_WATCHED: Cause = {
  id: "no-canary",
  title: "No canary is configured: nothing is watched",
  runbook: "PlumblineProbeBlind",
};

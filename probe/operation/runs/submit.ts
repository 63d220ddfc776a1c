/** Sends a run's submission, once its intent is on disk, and reads the answer. */

import { decodeAccepted } from "../../../contract/decode/accepted.ts";
import { markOf } from "../../../contract/jobs/marks.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { jsonBody } from "../../../contract/requests/exchange.ts";
import { NO_STAMPS, stampedAlone } from "../../../contract/timeline/observation.ts";
import type { Json } from "../../../contract/verdict.ts";
import type { Canary } from "../../canary/canary.ts";
import type { Intent } from "../../journal/records.ts";
import type { Submitted } from "../../outcome.ts";
import { readSubmission } from "../../outcome.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf, takeIn } from "./run.ts";

export function newIntent(canary: Canary, { clock, desk, newId }: Parts): Intent {
  const runId = newId();
  return {
    runId,
    canary: canary.name,
    workerId: canary.workerId,
    expected: canary.expected,
    deadlineMs: canary.deadlineMs,
    token: canary.webhook && desk?.listening ? desk.newToken() : null,
    mark: canary.marker === null ? null : markOf(runId),
    intendedAtMs: clock.nowMs(),
  };
}

export async function submit(parts: Parts, run: Run): Promise<Submitted> {
  const submission = await parts.client.sendNow({
    method: "POST",
    route: "submit",
    parameter: run.intent.workerId,
    runId: run.intent.runId,
    body: bodyOf(parts, run),
    timeoutMs: run.intent.deadlineMs,
  });
  run.submission = submission;
  const submitted = readSubmission(submission);
  if (submitted.kind === "accepted") await accepted(parts, run, submission, submitted);
  return submitted;
}

function bodyOf({ desk }: Parts, { intent, canary }: Run): Readonly<Record<string, Json>> {
  const { token, mark } = intent;
  return {
    ...canary.input,
    ...(canary.marker === null || mark === null ? {} : { [canary.marker]: mark }),
    ...(token === null || desk === null ? {} : { webhook: desk.urlOf(token) }),
  };
}

async function accepted(
  parts: Parts,
  run: Run,
  submission: Exchange,
  { jobId, state, estimatedCredits }: Extract<Submitted, { kind: "accepted" }>,
): Promise<void> {
  run.jobId = jobId;
  const { sentAtMs, receivedAtMs } = submission;
  const created = stampedAlone(decodeAccepted(jsonBody(submission)).value?.createdAt ?? null);
  if (created !== null) learnOffset(parts, created, { sentAtMs, receivedAtMs });
  const stamps = { ...NO_STAMPS, created };
  // The identifier is on disk before anything else happens; a full disk must not stop the run.
  const { runId } = run.intent;
  await parts.journal.accept(runId, jobId, submission, estimatedCredits).catch(() => {});
  parts.knowledge.ownJobs.accepted(factsOf(run), submission);
  takeIn(parts, run, { kind: "accepted", sentAtMs, receivedAtMs, state, stamps });
  parts.emit({ type: "run-accepted", run: factsOf(run), atMs: receivedAtMs });
}

function learnOffset(
  { knowledge, emit }: Parts,
  created: { lowMs: number; highMs: number },
  times: { sentAtMs: number; receivedAtMs: number },
): void {
  const steps = knowledge.learnOffset(created, times);
  emit({ type: "clock-offset", offset: knowledge.offset(times.receivedAtMs), steps });
}

/** Cancels jobs that have ended, of each end one that is there. Spec §3.1, §4.6. */

import { FORBIDDEN } from "../../contract/judges/auth.ts";
import type { CancelTrial } from "../../contract/judges/cancel/cancel-trial.ts";
import { VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import type { CancelSeen } from "../../contract/judges/steps.ts";
import { cancelCall } from "../client/cancel-request.ts";
import type { Context } from "../client/context.ts";
import { followToEnd, poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { Call } from "../client/send.ts";
import { strangersKey, unknownKeys } from "./auth.ts";
import { pollUntilFound, sendCancel, trialOf } from "./cancel-trial.ts";
import type { CancelsTried } from "./cancels-tried.ts";
import { knownOf } from "./cancels-tried.ts";

/** A fresh completed job, and of each other end one that is there. */
export async function cancelEndedJobs(
  context: Context,
  tried: CancelsTried,
): Promise<readonly CancelTrial[]> {
  const found = tried.method.found();
  if (found === null) return [];
  // A view that lags shows the job still as it was before the effect.
  const shownMs = knownOf(tried).effectMs + VIEW_LAG_MS;
  const completed = await completedJob(context, tried);
  const jobs = [...(completed === null ? [] : [completed]), ...(await endedJobs(context))];
  const trials = jobs.map(async (job): Promise<CancelTrial | readonly CancelTrial[]> => {
    const cancel = await sendCancel(context, job, found);
    await poll(context, job);
    await context.world.delay(shownMs);
    await pollUntilFound(context, job);
    return trialOf(job, cancel) ?? [];
  });
  return (await Promise.all(trials)).flat();
}

const OTHER_ENDS = ["failed", "timeout", "cancelled"] as const;

/** Jobs that ended otherwise, as they are now. What is seen of them later may be by the cancel. */
async function endedJobs(context: Context): Promise<readonly FollowedJob[]> {
  const jobs = OTHER_ENDS.flatMap(
    (state) => context.jobs.find(({ end }) => end?.state === state) ?? [],
  );
  // One that is gone is looked for long enough to tell: nobody polls it after its cancel.
  await Promise.all(jobs.map((job) => pollUntilFound(context, job)));
  return jobs.map((job) => ({ ...job, polls: job.polls.slice(-1) }));
}

/** The fresh one; where the budget had no room, a copy of one, so that others see no cancel. */
async function completedJob(
  context: Context,
  { fresh }: CancelsTried,
): Promise<FollowedJob | null> {
  if (fresh !== null && fresh.issuedId !== null) {
    await followToEnd(context, fresh);
    return fresh.end?.state === "completed" ? fresh : null;
  }
  const other = context.jobs.find(({ end }) => end?.state === "completed");
  if (other === undefined) return null;
  const copy = { ...other, polls: [], cancelRequests: [] };
  await poll(context, copy);
  return copy;
}

/** Of the youngest that waits: one that has ended is refused to whoever asks, with any status. */
export async function cancelAsStranger(
  context: Context,
  jobs: readonly FollowedJob[],
  { method, strangers }: CancelsTried,
): Promise<void> {
  const request = method.found();
  const waiting = jobs.findLast(({ cancelRequests }) => cancelRequests.length === 0);
  const jobId = waiting?.issuedId ?? null;
  if (request === null || jobId === null || strangers.length > 0) return;
  if (!context.asks("auth.invalid-key")) return;
  const call = { ...cancelCall(request, jobId, null), foreignKeyValue: strangersKey(context) };
  const what = "a cancel of a waiting job with an unknown key";
  strangers.push({ what, ...(await context.askAgain(call)) });
}

/** Cancels of a job of the suite's own that has ended, with keys that may not; none without one. */
export async function cancelWithWrongKeys(
  context: Context,
  { method }: CancelsTried,
): Promise<Pick<CancelSeen, "unknownKeys" | "revokedKey">> {
  const request = method.found();
  const jobId = context.jobs.find(({ end }) => end !== null)?.issuedId ?? null;
  if (request === null || jobId === null) return {};
  const ask = async (what: string, asker: Pick<Call, "key" | "foreignKeyValue">) => {
    const call = { ...cancelCall(request, jobId, null), ...asker };
    const asked = await context.askAgain(call);
    const isForbidden = asked.attempts.at(-1)?.status === FORBIDDEN;
    // Whoever is held off is so at each endpoint.
    const account = { method: "GET", route: "me", ...asker } as const;
    const meanwhile = isForbidden ? { meanwhile: await context.ask(account) } : {};
    return { what: `a cancel with ${what}`, ...asked, ...meanwhile };
  };
  const asksRevoked = context.asks("auth.revoked-key");
  const revoked = asksRevoked ? context.plan.roles.revoked : null;
  const unknown = context.asks("auth.invalid-key") ? unknownKeys(context) : [];
  const unknownCases = unknown.map(({ what, value }) => {
    return ask(what, { key: null, foreignKeyValue: value });
  });
  const revokedCases = revoked === null ? [] : [ask("a revoked key", { key: revoked })];
  return {
    unknownKeys: await Promise.all(unknownCases),
    revokedKey: await Promise.all(revokedCases),
  };
}

/**
 * Reads some ended jobs once more, at the very end of a gate: an end is for ever, and some of them
 * are minutes old by then. Told is only what these last looks contradict. Spec §3.1.
 */

import type { JobHistory } from "../../contract/jobs/job-history.ts";
import { VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import { judgeJobs } from "../../contract/judges/job.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Finding } from "../../contract/verdict.ts";
import { unobserved } from "../../contract/verdict.ts";
import type { NodeWitness, Scene, Testimony } from "./witness.ts";

const PROMISE = "job.terminal-final";
const TOLD: ReadonlySet<PromiseId> = new Set([PROMISE, "job.never-lost"]);

/** Ours: one of each kind and the cancelled ones; a key of a slow plan is asked for fewer. */
const JOBS_MAX = 15;
const LOOK_MS_MAX = 6_000;

export const endedJobsWitness: NodeWitness = {
  name: "ended-jobs",
  promise: PROMISE,
  tellsAlso: ["job.never-lost"],
  asksAs: ["caller", "timeout"],
  looksAtJobsOf: PROMISE,
  look,
};

async function look(_: unknown, scene: Scene): Promise<Testimony> {
  const { ended, nowMs } = scene;
  const untilMs = nowMs() + LOOK_MS_MAX;
  const changed: JobHistory[] = [];
  for (const { role, history } of ended.slice(0, JOBS_MAX)) {
    if (nowMs() > untilMs) break;
    const polls = await looksAt(() => scene.askAs(role, history.issuedId ?? ""), scene);
    const later = { ...history, polls: [...history.polls, ...polls] };
    const { length } = brokenBy([later]);
    if (length > 0 && length > brokenBy([history]).length) changed.push(later);
  }
  const finding = unobserved(PROMISE, "old ends are looked at beside the scenarios");
  return { finding, notes: [], besides: brokenBy(changed) };
}

/** What is not found is asked for again once no view can lag behind. */
async function looksAt(ask: () => Promise<Exchange>, { pause }: Scene): Promise<Exchange[]> {
  const first = await ask();
  if (first.status !== 404 && first.status !== 410) return [first];
  await pause(VIEW_LAG_MS);
  return [first, await ask()];
}

function brokenBy(histories: readonly JobHistory[]): readonly Finding[] {
  return judgeJobs(histories).filter(
    ({ promise, verdict }) => verdict === "broken" && TOLD.has(promise),
  );
}

/** Choices that bend a decision of the service without breaking a promise, as hooks. */

import type { Clock } from "../contract/clock.ts";
import { LISTED_JOBS_MAX } from "../contract/plans.ts";
import { wholeMs } from "./clock.ts";
import { isFields } from "./faults/answers.ts";
import type { Hooks } from "./hooks.ts";
import type { Answer, AnswerContext } from "./http.ts";
import type { Job } from "./jobs/job.ts";
import type { ReferenceOptions } from "./options.ts";
import type { Random } from "./random.ts";

/** Ours: how often runs are looked at for their limit, where that is not at once; stated. */
const SWEEP_MS = 1_000;

export function lawfulHooks(
  { choices, timeScale }: ReferenceOptions,
  clock: Clock,
  random: Random,
): readonly Partial<Hooks>[] {
  const { listLength, listLag, submitTime, limitCheck, extraFields, jobViews } = choices;
  const hooks: Partial<Hooks>[] = [];
  if (jobViews !== "0") hooks.push(cachedViews(Number(jobViews) * 1_000, clock));
  if (listLag !== "0") {
    const lagMs = Number(listLag) * 1_000;
    const isIn = (job: Job) => wholeMs(clock) - job.submittedAtMs >= lagMs;
    hooks.push({ listed: (jobs) => jobs.filter(isIn) });
  }
  if (Number(listLength) < LISTED_JOBS_MAX) {
    hooks.push({ listed: (jobs) => jobs.slice(0, Number(listLength)) });
  }
  if (submitTime !== "0") {
    const takesMs = Number(submitTime) * 1_000;
    hooks.push({ delayMs: (ms, { reason }) => (reason === "accepted" ? ms + takesMs : ms) });
  }
  if (limitCheck === "each-second") {
    hooks.push({ limitMs: (limitMs) => limitMs + random() * SWEEP_MS * timeScale });
  }
  if (extraFields === "yes") hooks.push(MORE_FIELDS);
  return hooks;
}

const MORE_FIELDS: Partial<Hooks> = {
  answer: (answer) =>
    isFields(answer.body) ? { ...answer, body: { ...answer.body, ...MORE } } : answer,
  webhook: (message) =>
    message === null ? null : { ...message, body: { ...message.body, ...MORE, attempt: 1 } },
};

const MORE = { request_id: "req-7f3a", _links: { docs: "/docs" }, region: null } as const;

/** What was shown of a job is shown for so long, whatever became of it meanwhile. */
function cachedViews(keptMs: number, clock: Clock): Partial<Hooks> {
  const views = new WeakMap<Job, { atMs: number; shown: Answer }>();
  return {
    answer(answer: Answer, { reason, request, job }: AnswerContext) {
      if (reason !== "served" || request.route !== "job" || job === null) return answer;
      const nowMs = wholeMs(clock);
      const view = views.get(job);
      if (view !== undefined && nowMs - view.atMs < keptMs) return view.shown;
      views.set(job, { atMs: nowMs, shown: answer });
      return answer;
    },
  };
}

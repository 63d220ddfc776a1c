/** The endpoint that takes a job on. Spec §4.3. */

import type { ReferenceKey } from "../accounts/keys.ts";
import type { ParsedBody } from "../catalogue/validation.ts";
import { runPrice, type Worker } from "../catalogue/worker.ts";
import { wholeMs } from "../clock.ts";
import type { Reason, Reply } from "../http.ts";
import type { Job } from "../jobs/job.ts";
import { type Api, type Call, type Endpoint, findWorker, refuse } from "./api.ts";
import { unknownWorker } from "./workers.ts";

export const submitJob: Endpoint = (api, call) => {
  const worker = findWorker(api, call.request.parameter, call.account);
  if (worker === null) return unknownWorker(api, call.request);
  const parsed = api.bodies.read(call.request.body, worker);
  const problem = api.hooks().bodyProblem(parsed.problem, worker, call.request);
  if (problem !== null) return refuse(api, problem, parsed.message, { worker });
  const price = runPrice(worker, parsed.input) + worker.infraMicroUsd;
  const affordable = call.account.availableMicroUsd >= price;
  if (!api.hooks().affordable(affordable, call.account)) {
    return refuse(api, "insufficient-credits", "the account's credits do not cover the run");
  }
  return accept(api, call, worker, parsed);
};

function accept(api: Api, call: Call, worker: Worker, parsed: ParsedBody): Reply {
  for (let left = api.hooks().jobsStarted(1, worker); left > 1; left -= 1) {
    start(api, call, worker, parsed);
  }
  const reused = api.hooks().reused(null, worker, call.key, parsed.webhook);
  const job = reused ?? start(api, call, worker, parsed);
  const body = api.renderer.accepted(job, reused === null ? job.submittedAtMs : wholeMs(api.clock));
  return [
    { status: 202, headers: {}, body },
    { reason: "accepted", worker, job },
  ];
}

function start(api: Api, { key, account }: Call, worker: Worker, parsed: ParsedBody): Job {
  const { input, priority, webhook } = parsed;
  return api.engine.submit({ worker, account, keyName: key.name, input, priority, webhook });
}

/** Tells the hooks of a submission that was answered 4xx. A healthy service does nothing then. */
export function afterRefusal(api: Api, call: Call, reason: Reason): void {
  const worker = findWorker(api, call.request.parameter, call.account);
  const key: ReferenceKey = call.key;
  api.hooks().refused(null, {
    reason,
    key,
    worker,
    account: call.account,
    start() {
      if (worker === null) return;
      start(api, call, worker, api.bodies.read(call.request.body, worker));
    },
  });
}

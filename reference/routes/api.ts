/** What all endpoints share: the parts of the service, and how a refusal is worded. */

import type { Clock } from "../../contract/time/clock.ts";
import type { Account } from "../accounts/account.ts";
import type { ReferenceKey } from "../accounts/keys.ts";
import type { BodyReader } from "../catalogue/validation.ts";
import type { Worker } from "../catalogue/worker.ts";
import { errorAnswer, type Refusal } from "../errors.ts";
import type { Hooks } from "../hooks.ts";
import type { Reply, RequestFacts } from "../http.ts";
import type { JobEngine } from "../jobs/engine.ts";
import type { JobRenderer } from "../jobs/render.ts";
import type { JobStore } from "../jobs/store.ts";
import type { ReferenceOptions } from "../options.ts";

export interface Api {
  options: ReferenceOptions;
  clock: Clock;
  accounts: ReadonlyMap<string, Account>;
  workers: readonly Worker[];
  /** Identifiers of own workers that were published meanwhile. */
  published: Set<string>;
  bodies: BodyReader;
  store: JobStore;
  engine: JobEngine;
  renderer: JobRenderer;
  hooks: () => Hooks;
}

/** A request of somebody who is known, within the limit, to an endpoint that exists. */
export interface Call {
  request: RequestFacts;
  key: ReferenceKey;
  account: Account;
}

export type Endpoint = (api: Api, call: Call) => Reply;

export function refuse(api: Api, reason: Refusal, message: string, about: About = {}): Reply {
  const { errorBody, errorMessages } = api.options.choices;
  const said = errorMessages === "empty" ? "" : message;
  const answer = errorAnswer(reason, said, errorBody);
  return [answer, { reason, worker: about.worker ?? null, job: null }];
}

interface About {
  worker?: Worker;
}

export function serve(body: unknown, status = 200): Reply {
  return [
    { status, headers: {}, body },
    { reason: "served", worker: null, job: null },
  ];
}

/** Workers that everybody sees: the marketplace's own and the published ones. */
export function marketplace(api: Api): readonly Worker[] {
  return api.workers.filter((worker) => worker.owners === null || api.published.has(worker.id));
}

/** A worker that this account may use: of the marketplace, or its own. */
export function findWorker(api: Api, id: string, account: Account): Worker | null {
  const worker = api.workers.find((each) => each.id === id);
  if (worker === undefined) return null;
  const usable = worker.owners === null || worker.owners.includes(account.id);
  return usable || api.published.has(id) ? worker : null;
}

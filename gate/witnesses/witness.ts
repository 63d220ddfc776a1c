/** What a witness in Node is: it sees what k6 can't, and returns one finding. */

import type { PromiseId } from "../../contract/promises.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Secrets } from "../../contract/text/secret.ts";
import type { Finding } from "../../contract/verdict.ts";
import { unobserved } from "../../contract/verdict.ts";
import type { WaitingTime } from "../../http/careful.ts";
import type { Client, ClientOptions } from "../../http/client.ts";
import type { Download } from "../../http/download.ts";
import { tracedIf } from "../../http/traced.ts";
import type { CarefulSend } from "../careful-send.ts";
import { BESIDE_SCENARIOS, carefulSend } from "../careful-send.ts";
import type { EndedJob, SubmittedJob } from "./submitted-jobs.ts";

/** How a witness reaches the service, and its time. */
export interface WitnessNet extends WaitingTime {
  createClient(baseUrl: string, options?: Pick<ClientOptions, "answerTimeoutMs">): Client;
  download(url: string, signal: AbortSignal): Promise<Download>;
}

export interface WitnessContext {
  plan: RunPlan;
  secrets: Secrets;
  signal: AbortSignal;
  net: WitnessNet;
  jobs: readonly SubmittedJob[];
  ended: readonly EndedJob[];
}

export interface Testimony {
  finding: Finding;
  notes: readonly string[];
  /** What it saw against promises that others judge. */
  besides?: readonly Finding[];
}

/** Asks with the key of the careful client. */
export type Ask = (request: Parameters<CarefulSend>[1]) => Promise<Exchange>;

/** What a witness may look at beside the service's answers. */
export interface Scene {
  plan: RunPlan;
  /** Jobs that the run has submitted and seen accepted. */
  jobs: readonly SubmittedJob[];
  /** Some of them, and of others, that have ended. */
  ended: readonly EndedJob[];
  /** Reads a job with the key that submitted it. */
  askAs(role: EndedJob["role"], job: string): Promise<Exchange>;
  /** Downloads without a key. */
  download(url: string): Promise<Download>;
  nowMs(): number;
  pause(ms: number): Promise<void>;
}

export interface NodeWitness {
  /** Name of the run, as progress and reasons give it. */
  name: string;
  promise: PromiseId;
  /** What else it may speak against. */
  tellsAlso?: readonly PromiseId[];
  /** Whose keys it uses; left out: the careful client's. */
  asksAs?: readonly EndedJob["role"][];
  /** It looks at jobs that are submitted to judge this promise; left out: at none. */
  looksAtJobsOf?: PromiseId;
  look: (ask: Ask, scene: Scene) => Promise<Testimony>;
}

/** Rejects only when the signal is aborted, or on a bug. */
export async function testimonyOf(
  { promise, look }: NodeWitness,
  { plan, secrets, net, signal, jobs, ended }: WitnessContext,
): Promise<Testimony> {
  const key = plan.keys.find((each) => each.name === plan.roles.caller);
  if (key === undefined || !secrets.has(key.env)) {
    return { finding: unobserved(promise, "no active key is configured"), notes: [] };
  }
  const client = tracedIf(plan.trace === true, net.createClient(plan.baseUrl));
  const send = carefulSend(client, secrets, BESIDE_SCENARIOS, net, signal);
  try {
    const download = (url: string) => net.download(url, signal);
    const askAs: Scene["askAs"] = (role, parameter) => {
      const own = plan.keys.find((each) => each.name === plan.roles[role]) ?? key;
      return send(own, { route: "job", parameter });
    };
    const pause = (ms: number) => net.sleep(ms, signal);
    const time = { nowMs: () => net.nowMs(), pause };
    const scene = { plan, jobs, ended, askAs, download, ...time };
    return await look((request) => send(key, request), scene);
  } finally {
    await client.close();
  }
}

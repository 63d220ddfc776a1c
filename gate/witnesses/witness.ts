/** What a witness in Node is: it sees what k6 can't, and returns one finding. */

import type { PromiseId } from "../../contract/promises.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import type { Secrets } from "../../contract/target.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { WaitingTime } from "../../http/careful.ts";
import type { Client } from "../../http/client.ts";
import type { RawAnswer } from "./raw-http.ts";

/** How a witness reaches the service, and its time. */
export interface WitnessNet extends WaitingTime {
  createClient(baseUrl: string): Client;
  /** Header lines are sent as they are spelled. Rejects only when the signal is aborted. */
  rawGet(
    url: URL,
    headers: readonly (readonly [string, string])[],
    signal: AbortSignal,
  ): Promise<RawAnswer>;
}

export interface WitnessContext {
  plan: RunPlan;
  secrets: Secrets;
  signal: AbortSignal;
  net: WitnessNet;
}

export interface Testimony {
  finding: Finding;
  notes: readonly string[];
}

export interface NodeWitness {
  /** Name of the run, as progress and reasons give it. */
  name: string;
  promise: PromiseId;
  /** Rejects only when the signal is aborted, or on a bug. */
  look: (context: WitnessContext) => Promise<Testimony>;
}

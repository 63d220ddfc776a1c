/** What the stranger is given: time, chance, a way to post, and how it is to behave. */

import type { Variant } from "../../../contract/states.ts";
import type { Clock } from "../../../contract/time/clock.ts";
import type { PostWebhook } from "../../../reference/webhooks/sender.ts";
import type { Picks } from "./choices.ts";
import type { Trouble } from "./trouble.ts";

export interface StrangerPorts {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  post: PostWebhook;
  baseUrl: string;
}

export interface StrangerOptions {
  variant: Variant;
  /** `dimension=value`, see choices.ts. */
  choices: readonly string[];
  /** Names of faults/index.ts. */
  faults: readonly string[];
}

/** What every room of the service knows. */
export interface House {
  ports: StrangerPorts;
  variant: Variant;
  picks: Picks;
  trouble: Trouble;
  /** Whole milliseconds since the epoch. */
  now(): number;
}

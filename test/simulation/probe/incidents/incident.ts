/** An incident: what happens to a service, and what those on call are to see of it. */

import type { Hooks } from "../../../../reference/hooks.ts";
import type { PostWebhook } from "../../../../reference/webhooks/sender.ts";
import type { ServedAnswer, ServedRequest } from "../../../../simulation/http.ts";

/** What is different while it lasts. */
export interface Happening {
  /** Of the catalogue. */
  faults?: readonly string[];
  /** `minutesIn`: since it began. */
  hooks?: (minutesIn: () => number) => Partial<Hooks>;
  /** Instead of the service's own answer; null: its own. */
  answer?: (request: ServedRequest, minutesIn: number) => Partial<ServedAnswer> | null;
  /** How much later each of the service's answers comes. */
  delayMs?: number;
  /** How a webhook is sent. */
  post?: (send: PostWebhook, after: (ms: number, callback: () => void) => void) => PostWebhook;
}

export interface Incident {
  title: string;
  /** How far the clock of the probe's machine is ahead of all others. */
  probeAheadMs?: number;
  /** How far views of jobs lag behind all the time. */
  viewLagMsMax?: number;
  /** From and to when nobody scrapes, in minutes since the beginning. */
  unscraped?: readonly [number, number];
  happens: Happening;
  /** For so long, from `BEGINS` on. */
  minutes: number;
  /**
   * Each alert that fires, as "alert severity" and whatever of its labels tells; and by when, in
   * minutes since the beginning. None fires beside these.
   */
  fires: Readonly<Record<string, number>>;
  /** All that the status page calls a problem at the end of it. */
  page: readonly RegExp[];
  /** So many minutes after its end no alert fires and the page is well again. */
  over: number;
}

/** Ours, in minutes: longer than the first run of each canary, a timeout's as well. */
export const BEGINS = 8;

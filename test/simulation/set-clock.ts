/** A service whose clock is set once, as by NTP, while it serves: it breaks no promise. */

import type { Fault, FaultScene } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import type { Hooks } from "../../reference/hooks.ts";

export interface ClockSet {
  /** After the start of the service. */
  afterMs: number;
  /** To later times; below 0: back. */
  byMs: number;
  /** Whether it takes durations by that clock, or by one that nobody sets. */
  durations: "by-clock" | "steady";
}

/** In the place of a fault: it moves all times that answers and webhooks tell from then on. */
export function setClock(set: ClockSet, name = "near-clock-set"): Fault {
  const title = "The clock is set once";
  return faultOf("job.timestamps", name, title, (scene) => hooksOf(set, scene));
}

function hooksOf({ afterMs, byMs, durations }: ClockSet, { clock }: FaultScene): Partial<Hooks> {
  const setAtMs = clock.nowMs() + afterMs;
  const told = (value: unknown): unknown => {
    if (typeof value === "string") return toldTime(value);
    if (Array.isArray(value)) return value.map(told);
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([name, each]) => [name, told(each)]);
    const after = Object.fromEntries(fields) as Fields;
    return durations === "steady" ? after : timed(value as Fields, after);
  };
  const toldTime = (text: string) => {
    const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
    return ms >= setAtMs ? new Date(ms + byMs).toISOString() : text;
  };
  const timed = (before: Fields, after: Fields): Fields => {
    const { duration_ms: durationMs } = before;
    const endMs = Date.parse(String(before.finished_at ?? before.completed_at));
    if (typeof durationMs !== "number" || endMs < setAtMs) return after;
    const isAcross = endMs - durationMs < setAtMs;
    // Below 0 is no duration, whatever the clock.
    return isAcross ? { ...after, duration_ms: Math.max(0, durationMs + byMs) } : after;
  };
  return {
    answer: (answer) => ({ ...answer, body: told(answer.body) }),
    webhook: (message) => message && { ...message, body: told(message.body) as Fields },
  };
}

type Fields = Record<string, unknown>;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

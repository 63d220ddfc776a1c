/**
 * A limiter that refuses nothing: what is beyond the plan waits for its turn, however long. It is
 * told from a service or a way that is slow by the rate at which it answers, which is the plan's.
 */

import type { Range } from "../../judging/claim.ts";
import { medianOf, secondsText } from "../../numbers/figures.ts";
import type { RateLimit } from "../../plans.ts";
import { overloadPerSecond, windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { inTurn } from "./ascending.ts";
import type { Drain } from "./trial.ts";
import { answeredAtMs, receivedAtMs, sentPerSecond, shotsWith } from "./trial.ts";

export interface WaitingLine {
  /** Requests answered a second, once all waited. */
  rate: Range & { value: number };
  longestMs: number;
}

/** Ours: a rate of fewer answers is a guess. */
const ANSWERS_MIN = 30;
/** Ours: what is as near to the plan, early and late, is its limit and no lack of capacity. */
const OFF_PLAN_MAX = 0.2;
/** Ours: an overload is sent with pauses; one that was sent more slowly makes no line. */
const SENT_SHARE_MIN = 0.85;
/** Ours: a line grows by more than a way varies, from one third of the answers to the next. */
const GROWTH_MS_MIN = 300;
/** Ours: what a rested key gets at once needs no longer. */
const PROMPT_MS = 1_000;
/** Ours: of a burst, more than a service of the plan's speed answers in half a window. */
const AT_ONCE_SHARE = 0.75;

/** Null where the overload, or the burst before it, was refused, or waited for anything else. */
export function waitingLine({ volley, press }: Drain, limit: RateLimit): WaitingLine | null {
  const refused = shotsWith([...volley.shots, ...press], "refused");
  if (press.length === 0 || refused.length > 0) return null;
  const answers = inTurn(shotsWith(press, "admitted"), "receivedAtMs");
  if (answers.length < ANSWERS_MIN || !isServedAtOnce(volley.shots, limit)) return null;
  if (sentPerSecond(press) < SENT_SHARE_MIN * overloadPerSecond(limit)) return null;
  const waits = thirdsOf(answers).map((some) => medianOf(some.map(waitMs)));
  if (waits.some((ms, at) => at > 0 && ms < (waits[at - 1] ?? 0) + GROWTH_MS_MIN)) return null;
  const isPlans = ({ value }: Range & { value: number }) =>
    Math.abs(value / limit.sustained - 1) <= OFF_PLAN_MAX;
  const rate = rateOf(answers);
  if (![rate, ...thirdsOf(answers).map(rateOf)].every(isPlans)) return null;
  return { rate, longestMs: Math.max(...answers.map(waitMs)) };
}

/** "they waited for their turn, up to 9.97 s, and got 10.1 responses/s". */
export function lineText({ rate, longestMs }: WaitingLine): string {
  const waited = `they waited for their turn, up to ${secondsText(longestMs, 2)}`;
  return `${waited}, and got ${rate.value.toFixed(1)} responses/s`;
}

function waitMs({ sentAtMs, receivedAtMs: ms }: Exchange): number {
  return ms - sentAtMs;
}

/** Whether most of what a rested key may have came faster than the rest: nothing else is slow. */
function isServedAtOnce(shots: readonly Exchange[], limit: RateLimit): boolean {
  const soonMs = Math.min(PROMPT_MS, windowMs(limit) / 2);
  const soon = shotsWith(shots, "admitted").filter((shot) => waitMs(shot) <= soonMs);
  return soon.length >= AT_ONCE_SHARE * limit.burst;
}

function thirdsOf(answers: readonly Exchange[]): readonly (readonly Exchange[])[] {
  const third = Math.floor(answers.length / 3);
  return [0, 1, 2].map((at) => answers.slice(at * third, (at + 1) * third));
}

/** A request may have its turn just before or just after the first and the last answer. */
function rateOf(answers: readonly Exchange[]): WaitingLine["rate"] {
  const [first, last] = [answers[0], answers.at(-1)];
  if (first === undefined || last === undefined) return { value: 0, low: 0, high: 0 };
  const steps = answers.length - 1;
  const perSecond = (count: number, ms: number) => (count * 1_000) / Math.max(1, ms);
  return {
    value: perSecond(steps, receivedAtMs(last) - receivedAtMs(first)),
    low: perSecond(steps - 1, receivedAtMs(last) - answeredAtMs(first)),
    high: perSecond(steps + 1, answeredAtMs(last) - receivedAtMs(first)),
  };
}

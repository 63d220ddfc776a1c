/** Whether the time that a delivery states can be the UTC time at which it was fired. Spec §6. */

import type { Accepted } from "../../decode/accepted.ts";
import type { Decoded } from "../../decode/decoded.ts";
import { isObject } from "../../decode/decoded.ts";
import type { Delivery } from "../../delivery.ts";
import { parseTimestamp, precisionMs } from "../../timestamps.ts";

/** Ours: many times what machines differ by, and what a clock moves by that is set. */
const ROOM_MS = 60_000;

/** When it was sent by the observer's clock, and how the service dates it. */
interface Submitted {
  sentAtMs: number;
  accepted: Decoded<Accepted> | null;
}

/** Null where it fits, or where the service's clock is so far from ours that none can be said. */
export function firedProblem(
  body: unknown,
  { arrivedAtMs }: Delivery,
  { sentAtMs, accepted }: Submitted,
): string | null {
  const createdAt = accepted?.value?.createdAt ?? null;
  const stated = isObject(body) ? body.fired_at : null;
  const firedAt = typeof stated === "string" ? parseTimestamp(stated) : null;
  if (firedAt === null || createdAt === null) return null;
  if (Math.abs(createdAt.ms - sentAtMs) > ROOM_MS / 2) return null;
  const early = sentAtMs - firedAt.ms - precisionMs(firedAt);
  const late = firedAt.ms - arrivedAtMs;
  if (Math.max(early, late) <= ROOM_MS) return null;
  const seconds = Math.round(Math.max(early, late) / 1_000);
  return early > late
    ? `fired_at (${firedAt.text}) is ${seconds} s before the submission`
    : `fired_at (${firedAt.text}) is ${seconds} s after the arrival`;
}

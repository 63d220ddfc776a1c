/**
 * Whether a service calls its local time UTC: where the `Date` of its own answer and the observer's
 * clock agree, and the submission of the job is dated whole quarters of an hour away. Spec §2.4.
 */

import type { Seen } from "../../judging/claim.ts";
import { parseHttpDate } from "../../retry-after.ts";
import type { JobReading } from "./reading.ts";

/** Ours: zones lie whole quarters of an hour from UTC. */
const QUARTER_MS = 900_000;
/** Ours: the machines that date answers and jobs differ by less; `Date` has whole seconds. */
const ROOM_MS = 5_000;

export function zoneFaults(readings: readonly JobReading[]): readonly Seen[] {
  return readings.flatMap(zoneFault);
}

function zoneFault({ accepted, history: { submission } }: JobReading): readonly Seen[] {
  const created = accepted?.value?.createdAt ?? null;
  const { sentAtMs, receivedAtMs, headers } = submission;
  const datedMs = parseHttpDate(headers.date ?? "", receivedAtMs);
  if (created === null || datedMs === null) return [];
  if (datedMs < sentAtMs - ROOM_MS || datedMs > receivedAtMs + ROOM_MS) return [];
  const awayMs = created.ms - datedMs;
  const quarters = Math.round(awayMs / QUARTER_MS);
  if (quarters === 0 || Math.abs(awayMs - quarters * QUARTER_MS) > ROOM_MS) return [];
  const hours = Math.abs(quarters) / 4;
  const where = `${hours} h ${quarters > 0 ? "ahead of" : "behind"} the Date of the same answer`;
  return [{ what: `${created.text} is ${where}; promised UTC`, exchanges: [submission] }];
}

/** How many jobs were in flight when others were refused: what tells a limit on these from a rate. */

import type { StepMeasurement } from "../../contract/capacity-step.ts";
import type { Entry } from "../load/ledger.ts";
import type { Soak } from "../load/soak.ts";
import { toldEndMs } from "../load/told-end.ts";

type Crowding = NonNullable<StepMeasurement["crowding"]>;

/** By our clock; of those that go on it ends never. */
interface Life {
  key: string;
  fromMs: number;
  untilMs: number;
}

export interface Crowd {
  lives: Life[];
  /** When submissions were sent that were answered 429 or 5xx. */
  refusedAtMs: number[];
}

export function newCrowd(): Crowd {
  return { lives: [], refusedAtMs: [] };
}

/** Takes in an entry that is closed, or left open at the end. */
export function addToCrowd({ lives, refusedAtMs }: Crowd, entry: Entry): void {
  const { submission, standing, sentAtMs: fromMs, key, end, endSeenAtMs } = entry;
  if (standing === "accepted") {
    const seenMs = endSeenAtMs ?? Number.POSITIVE_INFINITY;
    const toldMs = end === null ? null : toldEndMs(entry, end);
    lives.push({ key: key.name, fromMs, untilMs: Math.min(seenMs, toldMs ?? seenMs) });
  } else if (submission !== null && (submission.status === 429 || submission.status >= 500)) {
    refusedAtMs.push(fromMs);
  }
}

/** Ours: messages overtake each other, and ends are told to the millisecond, seldom exactly. */
const OTHERWISE_SHARE = 0.05;

/** With what the open entries of the soak add. */
export function crowdingOf(soak: Soak, crowd: Crowd, endedMs: number): Crowding {
  for (const entry of soak.ledger.open.values()) addToCrowd(crowd, entry);
  const { lives, refusedAtMs } = crowd;
  return {
    refused: refusedAtMs.length,
    otherRefused: Math.max(0, soak.tally.requests429 - refusedAtMs.length),
    jobsAtOnce: jobsAtOnce(lives, refusedAtMs),
    openByKey: openByKey(soak, lives, endedMs),
  };
}

/** The number of jobs in flight from which on nearly all are refused, and below which none are. */
export function jobsAtOnce(
  lives: readonly Pick<Life, "fromMs" | "untilMs">[],
  refusedAtMs: readonly number[],
): number | null {
  const starts = sorted(lives.map(({ fromMs }) => fromMs));
  const ends = sorted(lives.map(({ untilMs }) => untilMs));
  const inFlightAt = (ms: number) => countBelow(starts, ms) - countBelow(ends, ms);
  const accepted = sorted(starts.map(inFlightAt));
  const refused = sorted(refusedAtMs.map(inFlightAt));
  const [most, least] = [at(accepted, 1 - OTHERWISE_SHARE), at(refused, OTHERWISE_SHARE)];
  return most === undefined || least === undefined || least <= most ? null : most + 1;
}

/** Jobs in flight of each key when no more was offered. */
function openByKey({ keys }: Soak, lives: readonly Life[], endedMs: number) {
  return keys.map(({ name, submitPerSecond }) => {
    const own = lives.filter(({ key }) => key === name);
    const open = own.filter(({ fromMs, untilMs }) => fromMs <= endedMs && untilMs > endedMs);
    return { key: name, perSecond: submitPerSecond, open: open.length };
  });
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

function at(values: readonly number[], q: number): number | undefined {
  return values[Math.min(values.length - 1, Math.floor(values.length * q))];
}

function countBelow(values: readonly number[], limit: number): number {
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

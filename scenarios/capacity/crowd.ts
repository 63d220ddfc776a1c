/** How many jobs were in flight when others were refused: tells a limit on these from a rate. */

import { accountOf } from "../../contract/judges/load/accounting/readings.ts";
import type { StepMeasurement } from "../../contract/run/capacity-step.ts";
import type { Entry } from "../load/followed/ledger.ts";
import { toldEndMs } from "../load/followed/told-end.ts";
import type { Soak } from "../load/soak.ts";

type Crowding = NonNullable<StepMeasurement["crowding"]>;

/** A submission by our clock, between whose request and answer the service decided. */
export interface Asked {
  sentMs: number;
  answeredMs: number;
}

/** What was accepted; the job ended so long after that, or never. */
export interface Life extends Asked {
  lifeMs: number;
}

export interface Crowd {
  lives: (Life & Sent)[];
  /** Submissions that were answered 429 or 5xx. */
  refused: (Asked & Sent)[];
}

/** Whose submission it was. */
interface Sent {
  key: string;
  account: string;
}

export function newCrowd(): Crowd {
  return { lives: [], refused: [] };
}

/** Takes in an entry that is closed, or left open at the end. */
export function addToCrowd({ lives, refused }: Crowd, entry: Entry): void {
  const { submission, standing, sentAtMs: sentMs, end, endSeenAtMs } = entry;
  if (submission === null) return;
  const sender = { key: entry.key.name, account: accountOf(entry.key) };
  const asked = { sentMs, answeredMs: submission.receivedAtMs, ...sender };
  if (standing === "accepted") {
    const seenMs = endSeenAtMs ?? Number.POSITIVE_INFINITY;
    const toldMs = end === null ? null : toldEndMs(entry, end);
    lives.push({ ...asked, lifeMs: Math.min(seenMs, toldMs ?? seenMs) - sentMs });
  } else if (submission.status === 429 || submission.status >= 500) refused.push(asked);
}

/** Ours: limits that differ by less are one. */
const ALIKE_SHARE = 0.1;
/** Ours: messages overtake each other, and ends are told to the millisecond, seldom exactly. */
const OTHERWISE_SHARE = 0.05;

/** With what the open entries of the soak add. */
export function crowdingOf(soak: Soak, crowd: Crowd, endedMs: number): Crowding {
  for (const entry of soak.ledger.open.values()) addToCrowd(crowd, entry);
  const refused = crowd.refused.length;
  return {
    refused,
    otherRefused: Math.max(0, soak.tally.requests429 - refused),
    ...atOnceOf(crowd),
    openByKey: openByKey(soak, crowd, endedMs),
  };
}

/** Of all, or else of each account, or of each key: whichever the refusals agree with. */
export function atOnceOf({ lives, refused }: Crowd): Pick<Crowding, "jobsAtOnce" | "atOnceOf"> {
  const all = jobsAtOnce(lives, refused);
  if (all !== null) return { jobsAtOnce: all };
  for (const whose of ["account", "key"] as const) {
    const names = [...new Set(refused.map((each) => each[whose]))];
    const isOf = (name: string) => (each: Sent) => each[whose] === name;
    const limits = names.map((name) => {
      return jobsAtOnce(lives.filter(isOf(name)), refused.filter(isOf(name)));
    });
    const told = limits.filter((limit) => limit !== null);
    const [least, most] = [Math.min(...told), Math.max(...told)];
    const areAlike = most - least <= Math.max(1, least * ALIKE_SHARE);
    if (told.length === names.length && names.length > 1 && areAlike) {
      return { jobsAtOnce: least, atOnceOf: whose };
    }
  }
  return { jobsAtOnce: null };
}

/**
 * The number of jobs in flight from which on nearly all are refused, and below which none are. As
 * many as there may have been count where one was refused, and as many as there surely were where
 * one was accepted: where answers are late now and then, that is not the same.
 */
export function jobsAtOnce(lives: readonly Life[], refused: readonly Asked[]): number | null {
  const accepted = decided(lives);
  const first = sorted(accepted.map(({ firstMs }) => firstMs));
  const last = sorted(accepted.map(({ lastMs }) => lastMs));
  const endedFirst = sorted(accepted.map(({ firstMs, lifeMs }) => firstMs + lifeMs));
  const endedLast = sorted(accepted.map(({ lastMs, lifeMs }) => lastMs + lifeMs));
  const maybe = decided(refused).map(({ firstMs, lastMs }) => {
    return countBelow(first, lastMs) - countBelow(endedLast, firstMs);
  });
  const surely = accepted.map(({ firstMs, lastMs }) => {
    return Math.max(0, countBelow(last, firstMs) - countBelow(endedFirst, lastMs));
  });
  const most = at(sorted(surely), 1 - OTHERWISE_SHARE);
  const least = at(sorted(maybe), OTHERWISE_SHARE);
  return most === undefined || least === undefined || least <= most ? null : most + 1;
}

/** Ours: an answer that is as quick as one in ten was not late anywhere. */
const QUICK_SHARE = 0.1;

/** When the service decided: half way to a quick answer, and later by what an answer was late. */
function decided<T extends Asked>(
  asked: readonly T[],
): (T & { firstMs: number; lastMs: number })[] {
  const tookMs = asked.map(({ sentMs, answeredMs }) => answeredMs - sentMs);
  const quickMs = at(sorted(tookMs), QUICK_SHARE) ?? 0;
  return asked.map((each) => {
    const firstMs = each.sentMs + quickMs / 2;
    return { ...each, firstMs, lastMs: Math.max(firstMs, each.answeredMs - quickMs / 2) };
  });
}

/** Jobs in flight of each key when no more was offered. */
function openByKey(
  { keys }: Soak,
  { lives, refused }: Crowd,
  endedMs: number,
): Crowding["openByKey"] {
  return keys.map(({ name, submitPerSecond }) => {
    const open = lives.filter(({ key, sentMs, lifeMs }) => {
      return key === name && sentMs <= endedMs && sentMs + lifeMs > endedMs;
    });
    const own = refused.filter(({ key }) => key === name);
    return { key: name, perSecond: submitPerSecond, open: open.length, refused: own.length };
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

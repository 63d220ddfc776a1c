/**
 * What a judge says of a promise: what it tolerates, what was seen of it, between which bounds the
 * truth surely lies each time, and what else than the service may have moved it by how much.
 *
 * A counted promise ("none of n") is a quantity as well: faults, of which 0 are tolerated.
 */

import type { PromiseId } from "../promises.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { Looks, Measured } from "../strength.ts";
import type { ClockSet } from "../timeline/clock-offset.ts";
import type { Breach, Json, Quote } from "../verdict.ts";

/** What else than the service may be the reason that something looks wrong. */
export type Cause =
  /** This machine let its threads wait, or did not keep up with what it set out to do. */
  | "host lag"
  | "network"
  /** Ours had no room, and dropped what would have told. */
  | "eviction"
  /** Ours were held back, as a case asks; a sender may wait for each before it sends the next. */
  | "held answers"
  /** Nothing of the service went on, for want of a processor or under all that it was asked. */
  | "standstill"
  /** Somebody else who has the key, the account or the address. */
  | "others' use"
  /** Whether starting up counts as running is open. */
  | "unknown start-up"
  /** The service's machines, whose clocks differ. */
  | "clocks"
  /** A service's clock that was set in mid-run: of two runs that need it, each has its own. */
  | "set clock"
  /** A limiter may count the requests that it refuses, and starve who asks too much. */
  | "counted refusals"
  /** The same was seen where the promise does not apply: another promise's fault. */
  | "another fault"
  /** The run ended too early, or did too little of what would have shown it. */
  | "too little seen";

/** By so much at the most, in the unit of the claim; Infinity: by anything. */
export interface Explanation {
  cause: Cause;
  atMost: number;
  /** A clause: "this machine was late by 12 ms". */
  why: string;
  /** Breaches of which any would be the reason. */
  explainedBy?: readonly Breach[];
  /** Of what happens once in a run at the most: what is known of it, for another run to deny. */
  once?: ClockSet;
}

/** The truth lies between `low` and `high`, whatever the service's reading of what is open. */
export interface Sample extends Range {
  /** What was seen, with job and time, measured against promised. */
  what: string;
  /** Of this key, where keys are judged apart. */
  key?: string;
  /** Breaches of which any would be why it is open. */
  explainedBy?: readonly Breach[];
  /** Why it may be seen too low. */
  below?: readonly Explanation[];
  /** Why it may be seen too high. */
  above?: readonly Explanation[];
  /** Where between its bounds the truth most likely lies; left out: anywhere. */
  likely?: number;
  /** Where it differs from the claim's own. */
  tolerated?: Range;
  /** How far the bounds of a good one may reach; left out: no further than what is tolerated. */
  mayReach?: Range;
  /** Said where its bounds leave open what it is; left out: `what`. */
  unclear?: string;
  /** What it measures, where its figure stands by itself: "free-a: rate". */
  figure?: string;
  /** What it is one of, by plurals: `{ jobs: "job_1", ends: "completed" }`. */
  strata?: Readonly<Record<string, string>>;
  /** What a fault may have to do with, as "an answer 500"; for a quorum of those alike. */
  traits?: readonly string[];
  exchanges?: readonly Exchange[];
  quotes?: readonly Quote[];
  /** What evidence shows of it: a job, a span of time. */
  shown?: Json;
}

/** What was left out, in a sentence, and the breach that would be the reason. */
export interface LeftOut {
  what: string;
  explainedBy: Breach;
}

/** What it takes for a verdict. */
export interface Quorum {
  /**
   * So many samples that nothing explains prove a fault, where all that have a trait in common are
   * off; null: any one does. All that there are always do.
   */
  alike: number | null;
  /** Of the samples that are not open, the share that may be off and explained beside `kept`. */
  explainedShare: number;
  /** The share of samples that may be open. */
  openShare: number;
  /** So many good samples speak for a promise, however many others say nothing. */
  enough: number;
}

export interface Claim {
  promise: PromiseId;
  unit: Measured["unit"] | "faults";
  tolerated: Range;
  samples: readonly Sample[];
  /** Good samples beside those, of which nothing but their number is known. */
  good?: number;
  /** How many looks the samples are made of, where each is a figure of many. */
  looks?: number;
  /** What a sample, or a look, is, in the plural: "waits". */
  of: string;
  /** Of a counted promise, what is said of faults: "came again"; left out: each says it itself. */
  off?: string;
  /** Of a quantity, what is promised: "5 s"; left out: each sample says it itself. */
  promised?: string;
  /** Said of good samples; left out: what they measured. */
  kept?: string | ((looks: number) => string);
  /** Why there may be nothing to judge. */
  without: string;
  /** What may explain each sample that is off. */
  explanations?: readonly Explanation[];
  /** What may have hidden a fault: nothing is kept then. */
  hidden?: readonly Explanation[];
  /** What was left out, said wherever there is no verdict. */
  leftOut?: LeftOut | null;
  quorum?: Partial<Quorum>;
  evidence?: Readonly<Record<string, Json>>;
  /** Over how many others samples are spread of which nothing but their number is known. */
  spread?: readonly Looks[];
  notTried?: readonly string[];
}

/** What a counted promise tolerates. */
export const NO_FAULTS: Range = { low: 0, high: 0 };

export type Seen = Omit<Sample, "low" | "high">;

export type Counted = Omit<Claim, "samples" | "unit" | "tolerated"> & {
  /** Each contradicts the promise, unless something explains it. */
  faults?: readonly Seen[];
  /** Of each it can't be told. */
  open?: readonly Seen[];
  /** Without a fault. */
  clean?: readonly Omit<Seen, "what">[];
};

/** "None of n": broken by any fault, kept by looks without, unobserved without a look. */
export function countedClaim({ faults = [], open = [], clean = [], ...claim }: Counted): Claim {
  const samples = [
    ...faults.map((fault) => ({ ...fault, low: 1, high: 1 })),
    ...open.map((each) => ({ ...each, low: 0, high: 1 })),
    ...clean.map((each) => ({ what: "", ...each, low: 0, high: 0 })),
  ];
  return { ...claim, samples, unit: "faults", tolerated: NO_FAULTS };
}

export type Read = { says: "good" } | ({ says: "fault" | "open" } & Seen);

export function countsOf(
  reads: readonly Read[],
): Required<Pick<Counted, "faults" | "open" | "good">> {
  const of = (wanted: "fault" | "open") =>
    reads.flatMap((each): Seen[] => {
      if (each.says !== wanted) return [];
      const { says: _, ...seen } = each;
      return [seen];
    });
  const good = reads.filter(({ says }) => says === "good").length;
  return { faults: of("fault"), open: of("open"), good };
}

/** So many alike, of which nothing but that is known. */
export function alike(count: number, what: string): readonly Seen[] {
  return Array.from({ length: Math.max(0, count) }, () => ({ what }));
}

/** What explains anything, by any amount. */
export function anything(cause: Cause, why: string): Explanation {
  return { cause, atMost: Number.POSITIVE_INFINITY, why };
}

/** The same where it is so, and nothing elsewhere. */
export function anythingIf(isSo: boolean, cause: Cause, why: string): readonly Explanation[] {
  return upTo(isSo ? Number.POSITIVE_INFINITY : 0, cause, why);
}

/** What explains so much; nothing where that is 0. */
export function upTo(atMost: number, cause: Cause, why: string): readonly Explanation[] {
  return atMost > 0 ? [{ cause, atMost, why }] : [];
}

/** From the least to the most; infinite where a side has no bound. */
export interface Range {
  low: number;
  high: number;
}

/** "590 to 663 ms", "2 ms or less", "any". */
export function rangeText({ low, high }: Range, unit: Measured["unit"]): string {
  const [least, most] = [low, high].map((value) => figureText(value, unit));
  const suffix = UNIT_TEXT[unit];
  if (low === Number.NEGATIVE_INFINITY) {
    return high === Number.POSITIVE_INFINITY ? "any" : `${most}${suffix} or less`;
  }
  if (high === Number.POSITIVE_INFINITY) return `${least}${suffix} or more`;
  return least === most ? `${least}${suffix}` : `${least} to ${most}${suffix}`;
}

const UNIT_TEXT: Readonly<Record<Measured["unit"], string>> = {
  ms: " ms",
  "per second": "/s",
  requests: " requests",
  share: " %",
};

/** Ours: three digits of a rate or a share say as much as was measured. */
const DIGITS = 3;

function figureText(value: number, unit: Measured["unit"]): string {
  if (unit === "ms" || unit === "requests") return String(Math.round(value));
  return String(Number((unit === "share" ? value * 100 : value).toPrecision(DIGITS)));
}

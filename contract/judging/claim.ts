/**
 * The one rule of judgement. A judge says what a promise tolerates, what was seen of it, between
 * which bounds the truth surely lies each time, and what else than the service may have moved it
 * by how much. What follows from that is decided here, for all promises alike.
 *
 * A counted promise ("none of n") is a quantity as well: faults, of which 0 are tolerated.
 */

import type { Exchange } from "../exchange.ts";
import type { PromiseId } from "../promises.ts";
import type { Looks, Measured, Strength } from "../strength.ts";
import type { Finding, Json, Quote } from "../verdict.ts";
import { broken, inconclusive, kept, QUOTES_MAX, unobserved } from "../verdict.ts";
import type { Range } from "./range.ts";
import { rangeText } from "./range.ts";

/** What else than the service may be the reason that something looks wrong. */
export type Cause =
  /** This machine let its threads wait, or did not keep up with what it set out to do. */
  | "host lag"
  | "network"
  /** Ours had no room, and dropped what would have told. */
  | "eviction"
  /** Somebody else who has the key, the account or the address. */
  | "others' use"
  /** Caches and replicas show a state for some time after it has passed. */
  | "view lag"
  /** Whether starting up counts as running is open. */
  | "unknown start-up"
  /** The service's machines, whose clocks differ. */
  | "clocks"
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
}

/** The truth lies between `low` and `high`, whatever the service's reading of what is open. */
export interface Sample extends Range {
  /** What was seen, with job and time, measured against promised. */
  what: string;
  /** Why it may be seen too low. */
  below?: readonly Explanation[];
  /** Why it may be seen too high. */
  above?: readonly Explanation[];
  /** Where it differs from the claim's own. */
  tolerated?: Range;
  /** What it is one of, by plurals: `{ jobs: "job_1", ends: "completed" }`. */
  strata?: Readonly<Record<string, string>>;
  /** What a fault may have to do with, as "an answer 500"; for a quorum of those alike. */
  traits?: readonly string[];
  exchanges?: readonly Exchange[];
  quotes?: readonly Quote[];
  /** The job as evidence shows it. */
  job?: Json;
}

export interface Quorum {
  /**
   * What proves a fault, of samples that nothing explains: `any`; `most` of them; or `alike`: all
   * that have a trait in common. All there are always do.
   */
  proof: "any" | "most" | "alike";
  /** How many of `any` or `alike` it takes. */
  least: number;
  /** The share of samples that may be off and explained without withholding `kept`. */
  explainedShare: number;
  /** The share of samples that may be open. */
  openShare: number;
  /** So many good samples speak for a promise, however many others say nothing. */
  enough: number;
}

const USUAL: Quorum = { proof: "any", least: 1, explainedShare: 0, openShare: 1, enough: 1 };

/**
 * Ours: what happens on the way does not happen twice to the same kind and to no other. On one
 * machine each sample is proof, as what is its own doing was measured.
 */
export function quorumOf(isLocal: boolean): Pick<Quorum, "proof" | "least"> {
  return isLocal ? { proof: "any", least: 1 } : { proof: "alike", least: 2 };
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
  leftOut?: string | null;
  quorum?: Partial<Quorum>;
  evidence?: Readonly<Record<string, Json>>;
  /** Over how many others samples are spread of which nothing but their number is known. */
  spread?: readonly Looks[];
  notTried?: readonly string[];
}

/** Where a sample lies beside the tolerated range, and whether something explains it. */
export interface Standing {
  says: "good" | "open" | "off" | "explained";
  side: "below" | "above" | null;
  /** By so much outside. */
  beyond: number;
  explanations: readonly Explanation[];
  /** By so much at the most those explain. */
  mayBe: number;
}

interface Weighed extends Standing {
  sample: Sample;
}

export function decide(claim: Claim): Finding {
  const { promise, samples, without, leftOut = null } = claim;
  const aside = (text: string) => (leftOut === null ? text : `${leftOut}: ${text}`);
  const total = samples.length + (claim.good ?? 0);
  if (total === 0) return unobserved(promise, aside(without));
  const quorum = { ...USUAL, ...claim.quorum };
  const weighed = samples.map((sample) => ({ sample, ...standing(sample, claim) })).sort(byBeyond);
  const [off, explained] = [saying(weighed, "off"), saying(weighed, "explained")];
  const [good, open] = [saying(weighed, "good"), saying(weighed, "open")];
  const evidence = evidenceOf(claim, weighed, total);
  const grounds = (some: readonly Weighed[]) => groundsOf(some, evidence);
  if (isProof(weighed, total, quorum)) return broken(promise, offText(claim, off), grounds(off));
  const looks = good.length + (claim.good ?? 0);
  const keptText =
    typeof claim.kept === "function"
      ? claim.kept(looks)
      : (claim.kept ?? `${looks} ${figuresText(claim, good)}`);
  const doubt = (text: string, some: readonly Weighed[]) =>
    inconclusive(promise, aside(text), grounds(some));
  if (off.length > 0) return doubt(`${offText(claim, off)}; too few to be sure`, off);
  if (explained.length > quorum.explainedShare * total) {
    return doubt(`${offText(claim, explained)}; ${whyOf(explained)}`, explained);
  }
  const [first] = open;
  const isTooOpen = open.length > quorum.openShare * total;
  const isTooFew = looks < quorum.enough && looks < open.length;
  if (first !== undefined && (isTooOpen || isTooFew)) {
    return doubt(first.sample.what, open);
  }
  if (claim.hidden?.length) return doubt(reasonsOf(claim.hidden), []);
  return kept(promise, keptText, { evidence, strength: strengthOf(claim, good, looks) });
}

/** What a counted promise tolerates. */
export const NO_FAULTS: Range = { low: 0, high: 0 };

export type Seen = Omit<Sample, "low" | "high">;

type Counted = Omit<Claim, "samples" | "unit" | "tolerated"> & {
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

/** So many alike, of which nothing but that is known. */
export function alike(count: number, what: string): readonly Seen[] {
  return Array.from({ length: Math.max(0, count) }, () => ({ what }));
}

/** What explains anything, by any amount. */
export function anything(cause: Cause, why: string): Explanation {
  return { cause, atMost: Number.POSITIVE_INFINITY, why };
}

/** Of a sample by itself. */
export function standing(sample: Sample, claim: Partial<Claim> = {}): Standing {
  const { low, high } = sample;
  const tolerated = sample.tolerated ?? claim.tolerated ?? NO_FAULTS;
  const side = low > tolerated.high ? "above" : high < tolerated.low ? "below" : null;
  const beyond = Math.max(low - tolerated.high, tolerated.low - high, 0);
  if (side === null) {
    const isWithin = low >= tolerated.low && high <= tolerated.high;
    return { says: isWithin ? "good" : "open", side, beyond, explanations: [], mayBe: 0 };
  }
  const explanations = [...(claim.explanations ?? []), ...(sample[side] ?? [])];
  const mayBe = explanations.reduce((sum, { atMost }) => sum + atMost, 0);
  return { says: beyond <= mayBe ? "explained" : "off", side, beyond, explanations, mayBe };
}

function byBeyond(a: Weighed, b: Weighed): number {
  return a.beyond === b.beyond ? 0 : b.beyond - a.beyond;
}

function saying(weighed: readonly Weighed[], says: Weighed["says"]): readonly Weighed[] {
  return weighed.filter((each) => each.says === says);
}

/** Whether what nothing explains is enough to break the promise; what is explained says nothing. */
function isProof(weighed: readonly Weighed[], total: number, quorum: Quorum): boolean {
  const { proof, least } = quorum;
  const telling = weighed.filter(({ says }) => says !== "explained");
  const count = total - (weighed.length - telling.length);
  return (["below", "above"] as const).some((side) => {
    const off = telling.filter((each) => each.says === "off" && each.side === side);
    if (off.length === 0) return false;
    if (off.length === count || (proof === "any" && off.length >= least)) return true;
    if (proof === "most") return off.length * 2 > count;
    return proof === "alike" && isAlike(off, telling, least);
  });
}

function isAlike(off: readonly Weighed[], telling: readonly Weighed[], least: number): boolean {
  const traits = new Set(off.flatMap(({ sample }) => sample.traits ?? []));
  const having = (some: readonly Weighed[], trait: string) =>
    some.filter(({ sample }) => sample.traits?.includes(trait)).length;
  return [...traits].some((trait) => {
    const count = having(off, trait);
    return count >= least && count === having(telling, trait);
  });
}

/** "3 of 12 waits were 4249 to 4251 ms, promised 5 s: job_1's ..."; the only sample by itself. */
function offText(claim: Claim, some: readonly Weighed[]): string {
  const { of, off, promised, samples, good = 0 } = claim;
  const what = some[0]?.sample.what ?? "";
  const total = samples.length + good;
  if (promised !== undefined) {
    return `${some.length} of ${total} ${figuresText(claim, some)}: ${what}`;
  }
  if (claim.looks !== undefined) {
    return [...new Set(some.map(({ sample }) => sample.what))].join("; ");
  }
  if (total === 1) return what;
  return `${some.length} of ${total} ${of}${off === undefined ? "" : ` ${off}`}: ${what}`;
}

/** "waits were 4998 to 5003 ms, promised 5 s". */
function figuresText({ of, unit, promised }: Claim, some: readonly Weighed[]): string {
  if (unit === "faults") return of;
  return `${of} were ${rangeText(hullOf(some), unit)}, promised ${promised}`;
}

function hullOf(some: readonly Weighed[]): Range {
  return {
    low: Math.min(...some.map(({ sample }) => sample.low)),
    high: Math.max(...some.map(({ sample }) => sample.high)),
  };
}

function whyOf(some: readonly Weighed[]): string {
  return reasonsOf(some.flatMap(({ explanations }) => explanations));
}

function reasonsOf(explanations: readonly Explanation[]): string {
  return [...new Set(explanations.map(({ why }) => why))].slice(0, REASONS_MAX).join(", and ");
}

/** Ours: a sentence; each sample has its own in the evidence. */
const REASONS_MAX = 2;
/** Ours: a reader who wants more of them reads the record of the run. */
const SHOWN_MAX = 10;
const MEASURED_MAX = 50;
/** Ours: more than the kinds of ends, failures and workers that a run has. */
const KINDS_MAX = 15;

function evidenceOf(
  claim: Claim,
  weighed: readonly Weighed[],
  total: number,
): Readonly<Record<string, Json>> {
  const of = (says: Weighed["says"]) => saying(weighed, says).length;
  const off = weighed.filter(({ side }) => side !== null);
  const causes = [...new Set(off.flatMap((each) => each.explanations.map(({ cause }) => cause)))];
  const { unit, samples, tolerated } = claim;
  return {
    ...claim.evidence,
    ...strataOf(samples),
    samples: total,
    ...counts({ faults: of("off"), explained: of("explained"), open: of("open") }),
    ...(off.length === 0
      ? {}
      : { examples: off.slice(0, QUOTES_MAX).map(({ sample }) => sample.what) }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(unit === "faults"
      ? {}
      : {
          tolerated: rangeText(tolerated, unit),
          measured: samples.slice(0, MEASURED_MAX).map((each) => rangeText(each, unit)),
        }),
  };
}

/** How many samples there are of each kind, where that is not as many as there are jobs. */
function strataOf(samples: readonly Sample[]): Readonly<Record<string, Json>> {
  const names = [...new Set(samples.flatMap(({ strata = {} }) => Object.keys(strata)))];
  const found = names.map((name) => [name, counted(valuesIn(samples, name))] as const);
  return Object.fromEntries(found.filter(([, kinds]) => Object.keys(kinds).length <= KINDS_MAX));
}

function valuesIn(samples: readonly Sample[], name: string): readonly string[] {
  return samples.flatMap(({ strata }) => strata?.[name] ?? []);
}

function counted(values: readonly string[]): { readonly [value: string]: number } {
  const found: Record<string, number> = {};
  for (const value of values) found[value] = (found[value] ?? 0) + 1;
  return found;
}

function counts(all: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

function groundsOf(some: readonly Weighed[], evidence: Readonly<Record<string, Json>>) {
  const samples = some.map(({ sample }) => sample);
  const jobs = samples.flatMap(({ job }) =>
    job === undefined ? [] : [[JSON.stringify(job), job]],
  );
  const shown = [...new Map(jobs as [string, Json][]).values()].slice(0, SHOWN_MAX);
  const exchanges = samples.flatMap((sample) => sample.exchanges ?? []);
  const room = exchanges.length === 0 ? QUOTES_MAX : QUOTES_MAX - 1;
  return {
    evidence: shown.length === 0 ? evidence : { ...evidence, shown },
    quotes: samples.flatMap(({ quotes = [] }) => quotes).slice(0, room),
    exchanges,
  };
}

function strengthOf(claim: Claim, good: readonly Weighed[], looks: number): Strength {
  const { of, notTried = [], unit, tolerated } = claim;
  const spread = [
    ...spreadOf(
      good.map(({ sample }) => sample),
      of,
    ),
    ...(claim.spread ?? []),
  ];
  const bound = (value: number) => (Number.isFinite(value) ? value : null);
  const measured: Measured[] =
    unit === "faults" || good.length === 0
      ? []
      : [
          {
            what: of,
            unit,
            ...hullOf(good),
            leastTolerated: bound(tolerated.low),
            mostTolerated: bound(tolerated.high),
          },
        ];
  return { looks: [{ of, count: claim.looks ?? looks }, ...spread], measured, notTried };
}

function spreadOf(good: readonly Sample[], of: string): readonly Looks[] {
  const names = [...new Set(good.flatMap(({ strata = {} }) => Object.keys(strata)))];
  return names
    .filter((name) => name !== of)
    .map((name) => ({ of: name, count: new Set(valuesIn(good, name)).size }));
}

/** What a finding tells of a claim: its words, the evidence, what is quoted, and its strength. */

import type { Looks, Measured, Strength } from "../strength.ts";
import type { Json, Kinds } from "../verdict.ts";
import { QUOTES_MAX } from "../verdict.ts";
import type { Claim, Explanation, Range, Sample } from "./claim.ts";
import { rangeText } from "./claim.ts";
import type { Weighed } from "./standing.ts";
import { saying } from "./standing.ts";

/** "3 of 12 waits were 4249 to 4251 ms, promised 5 s: job_1's ..."; the only sample by itself. */
export function offText(claim: Claim, some: readonly Weighed[]): string {
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
export function figuresText({ of, unit, promised }: Claim, some: readonly Weighed[]): string {
  if (unit === "faults") return of;
  return `${of} were ${rangeText(hullOf(some), unit)}, promised ${promised}`;
}

function hullOf(some: readonly Weighed[]): Range {
  return {
    low: Math.min(...some.map(({ sample }) => sample.low)),
    high: Math.max(...some.map(({ sample }) => sample.high)),
  };
}

export function reasonsOf(explanations: readonly Explanation[]): string {
  return [...new Set(explanations.map(({ why }) => why))].slice(0, REASONS_MAX).join(", and ");
}

/** Ours: a sentence; each sample has its own in the evidence. */
const REASONS_MAX = 2;
/** Ours: a reader who wants more of them reads the record of the run. */
const SHOWN_MAX = 10;
const MEASURED_MAX = 50;
/** Ours: more than the kinds of ends, failures and workers that a run has. */
const KINDS_MAX = 15;

export function evidenceOf(
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
      : { examples: [...new Set(off.map(({ sample }) => sample.what))].slice(0, QUOTES_MAX) }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(unit === "faults"
      ? {}
      : {
          tolerated: [
            ...new Set(samples.map((each) => rangeText(each.tolerated ?? tolerated, unit))),
          ].join(", "),
          ...measuredTexts(samples.filter(isMeasured), unit),
        }),
  };
}

/** A sample that may be anything, as there was too little to measure, has no figure to show. */
function isMeasured({ low, high }: Sample): boolean {
  return low > 0 || high < Number.POSITIVE_INFINITY;
}

function measuredTexts(samples: readonly Sample[], unit: Measured["unit"]) {
  const measured = samples.slice(0, MEASURED_MAX).map((each) => rangeText(each, unit));
  return measured.length === 0 ? {} : { measured };
}

/** How many samples there are of each kind, where that is not as many as there are jobs. */
function strataOf(samples: readonly Sample[]): Readonly<Record<string, Json>> {
  const names = [...new Set(samples.flatMap(({ strata = {} }) => Object.keys(strata)))];
  const found = names.map((name) => [name, counted(valuesIn(samples, name))] as const);
  return Object.fromEntries(found.filter(([, kinds]) => Object.keys(kinds).length <= KINDS_MAX));
}

/** Of a job no second run sees anything. */
const JOBS = "jobs";

/** What kinds all of those are of that are of any. */
export function kindsOf(some: readonly Weighed[]): Kinds {
  const all = some.map(({ sample }) => Object.entries(sample.strata ?? {}));
  const strata = all.filter(({ length }) => length > 0);
  const [first = [], ...others] = strata;
  const common = first.filter(([name, value]) =>
    others.every((other) => other.some(([its, kind]) => its === name && kind === value)),
  );
  return Object.fromEntries(
    common.filter(([name]) => name !== JOBS).map(([name, value]) => [name, [value]]),
  );
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

export function groundsOf(some: readonly Weighed[], evidence: Readonly<Record<string, Json>>) {
  const samples = some.map(({ sample }) => sample);
  const all = samples.flatMap(({ shown: each }): [string, Json][] =>
    each === undefined ? [] : [[JSON.stringify(each), each]],
  );
  const shown = [...new Map(all).values()].slice(0, SHOWN_MAX);
  const exchanges = samples.flatMap((sample) => sample.exchanges ?? []);
  const room = exchanges.length === 0 ? QUOTES_MAX : QUOTES_MAX - 1;
  return {
    evidence: shown.length === 0 ? evidence : { ...evidence, shown },
    quotes: samples.flatMap(({ quotes = [] }) => quotes).slice(0, room),
    exchanges,
  };
}

export function strengthOf(claim: Claim, good: readonly Weighed[], looks: number): Strength {
  const { of, notTried = [] } = claim;
  const samples = good.map(({ sample }) => sample);
  const spread = [...spreadOf(samples, of), ...(claim.spread ?? [])];
  return {
    looks: [{ of, count: claim.looks ?? looks }, ...spread],
    measured: measuredOf(claim, good),
    notTried,
  };
}

/** What is tolerated of samples of one figure is the same; no bound where they may reach any. */
function measuredOf({ of, unit, tolerated }: Claim, good: readonly Weighed[]): Measured[] {
  if (unit === "faults") return [];
  const figures = [...new Set(good.map(({ sample }) => sample.figure))];
  const bound = (value: number, reach = value) =>
    Number.isFinite(value) && Number.isFinite(reach) ? value : null;
  return figures.map((figure) => {
    const alike = good.filter(({ sample }) => sample.figure === figure);
    const bounds = alike[0]?.sample.tolerated ?? tolerated;
    const { low, high } = alike[0]?.sample.mayReach ?? bounds;
    const hull = hullOf(alike);
    return {
      what: figure ?? of,
      unit,
      low: bound(hull.low),
      high: bound(hull.high),
      leastTolerated: bound(bounds.low, low),
      mostTolerated: bound(bounds.high, high),
    };
  });
}

function spreadOf(good: readonly Sample[], of: string): readonly Looks[] {
  const names = [...new Set(good.flatMap(({ strata = {} }) => Object.keys(strata)))];
  return names
    .filter((name) => name !== of)
    .map((name) => ({ of: name, count: new Set(valuesIn(good, name)).size }));
}

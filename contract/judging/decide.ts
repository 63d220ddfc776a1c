/**
 * The one rule of judgement: what follows from a claim is decided here, for all promises alike.
 */

import { chanceOfShare } from "../numbers/binomial.ts";
import type { ClockSet } from "../timeline/clock-offset.ts";
import type { Breach, Finding } from "../verdict.ts";
import { broken, inconclusive, kept, ofEach, unobserved } from "../verdict.ts";
import type { Claim, Counted, Explanation, Quorum, Seen } from "./claim.ts";
import { countedClaim } from "./claim.ts";
import {
  evidenceOf,
  figuresText,
  groundsOf,
  kindsOf,
  offText,
  reasonsOf,
  strengthOf,
} from "./grounds.ts";
import type { Weighed } from "./standing.ts";
import { mayBeBy, saying, standing } from "./standing.ts";

/** Of a counted promise. */
export function judgeCounted(counted: Counted): Finding {
  return decide(countedClaim(counted));
}

/** Of what only a fault tells: none where there is none, however many were `good`. */
export function judgeFaultsAlone(
  counted: Pick<Counted, "promise" | "good" | "of"> & { faults: readonly Seen[] },
): readonly Finding[] {
  return counted.faults.length === 0 ? [] : [judgeCounted({ ...counted, kept: "", without: "" })];
}

const USUAL: Quorum = { alike: null, explainedShare: 0, openShare: 1, enough: 1 };

export function decide(claim: Claim): Finding {
  const { promise, samples, without, leftOut = null } = claim;
  const aside = (text: string) => (leftOut === null ? text : `${leftOut.what}: ${text}`);
  const total = samples.length + (claim.good ?? 0);
  if (total === 0) return unobserved(promise, aside(without));
  const quorum = { ...USUAL, ...claim.quorum };
  // The worst first; two that are off by anything are alike.
  const weighed = samples
    .map((sample) => ({ sample, ...standing(sample, claim) }))
    .sort((a, b) => (a.beyond === b.beyond ? 0 : b.beyond - a.beyond));
  const [off, explained] = [saying(weighed, "off"), saying(weighed, "explained")];
  const [good, open] = [saying(weighed, "good"), saying(weighed, "open")];
  const evidence = evidenceOf(claim, weighed, total);
  const grounds = (some: readonly Weighed[]) => groundsOf(some, evidence);
  if (isProof(weighed, total, quorum)) {
    const keys = ofEach(off.map(({ sample: { key } }) => (key === undefined ? [] : [key])));
    return broken(promise, offText(claim, off), { ...grounds(off), keys });
  }
  const looks = good.length + (claim.good ?? 0);
  const keptText =
    typeof claim.kept === "function"
      ? claim.kept(looks)
      : (claim.kept ?? `${looks} ${figuresText(claim, good)}`);
  const doubt = (text: string, some: readonly Weighed[], breaches: Breaches) => {
    const always = leftOut === null ? [] : [leftOut.explainedBy];
    const explainedBy = [...ofEach(breaches), ...always];
    const once = some.flatMap(neededOnce);
    const kinds = kindsOf(some.length > 0 ? some : open);
    return inconclusive(promise, aside(text), { ...grounds(some), explainedBy, once, kinds });
  };
  if (off.length > 0) return doubt(`${offText(claim, off)}; too few to be sure`, off, []);
  const isMost = explained.length > quorum.explainedShare * (explained.length + looks);
  if (isMost || isKind(explained, weighed)) {
    const all = explained.map(({ explanations }) => explanations);
    const breaches = all.map((each) => each.flatMap(({ explainedBy = [] }) => explainedBy));
    const why = reasonsOf(explained.flatMap(tellingOf));
    return doubt(`${offText(claim, explained)}; ${why}`, explained, breaches);
  }
  const [first] = open;
  const isTooOpen = open.length > quorum.openShare * total;
  const isTooFew = looks < quorum.enough && looks < open.length;
  if (first !== undefined && (isTooOpen || isTooFew)) {
    const breaches = open.map(({ sample }) => sample.explainedBy ?? []);
    return doubt(first.sample.unclear ?? first.sample.what, open, breaches);
  }
  if (claim.hidden?.length) {
    const breaches = claim.hidden.map(({ explainedBy = [] }) => explainedBy);
    return doubt(reasonsOf(claim.hidden), [], breaches);
  }
  return kept(promise, keptText, { evidence, strength: strengthOf(claim, good, looks) });
}

/** What explains it by itself, where anything does: beside an outage, a lag of 13 ms is none. */
function tellingOf({ beyond, explanations }: Weighed): readonly Explanation[] {
  const alone = explanations.filter(({ atMost }) => atMost >= beyond);
  return alone.length > 0 ? alone : explanations;
}

/** Of each part of a doubt, those of which any would explain it; none: nothing does. */
type Breaches = readonly (readonly Breach[])[];

/** What can have happened once at the most, where without it nothing explains the sample. */
function neededOnce({ says, beyond, explanations }: Weighed): readonly ClockSet[] {
  if (says !== "explained") return [];
  const others = explanations.filter(({ once }) => once === undefined);
  return beyond <= mayBeBy(others) ? [] : explanations.flatMap(({ once }) => once ?? []);
}

/** Whether what nothing explains is enough to break the promise. */
function isProof(weighed: readonly Weighed[], total: number, { alike }: Quorum): boolean {
  return (["below", "above"] as const).some((side) => {
    const off = saying(weighed, "off").filter((each) => each.side === side);
    if (off.length === 0) return false;
    return alike === null || off.length === total || areAlike(off, weighed, alike);
  });
}

/** What is explained says nothing, neither for a trait nor against it. */
function areAlike(off: readonly Weighed[], all: readonly Weighed[], least: number): boolean {
  const telling = all.filter(({ says }) => says !== "explained");
  return traitsOf(off).some((trait) => {
    const count = countWith(trait, off);
    return count >= least && count === countWith(trait, telling);
  });
}

/** Ours: what comes about by chance more seldom has another reason. */
const CHANCE_MIN = 0.01;

/**
 * Whether those that only the way explains are all of a kind that has several: it strikes by
 * chance, which hardly chooses them. The lag of this machine was measured each time.
 */
function isKind(explained: readonly Weighed[], all: readonly Weighed[]): boolean {
  const byWay = explained.filter(({ beyond, explanations }) => {
    return beyond > mayBeBy(explanations.filter(({ cause }) => cause !== "network"));
  });
  const told = all.filter((each) => each.says === "good" || byWay.includes(each));
  const kinds = traitsOf(told)
    .map((trait) => ({ count: countWith(trait, byWay), of: countWith(trait, told) }))
    .filter(({ of }) => of > 1 && of < told.length);
  return kinds.some(({ count, of }) => {
    if (count < of) return false;
    const others = [byWay.length - count, told.length - of] as const;
    return kinds.length * chanceOfShare(count, of, ...others) < CHANCE_MIN;
  });
}

function traitsOf(some: readonly Weighed[]): readonly string[] {
  return [...new Set(some.flatMap(({ sample }) => sample.traits ?? []))];
}

function countWith(trait: string, some: readonly Weighed[]): number {
  return some.filter(({ sample }) => sample.traits?.includes(trait)).length;
}

/** Whether requests failed by an accident of the service's, and not for an overload. Spec §7. */

import { leastOf, mostOf } from "../../numbers/extremes.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { groupsOf } from "../../time/spans.ts";
import { AWAY_MS, OUTAGE_MS_MAX } from "../expected-status.ts";
import type { KeyTrial } from "./trial.ts";
import { shotsWith } from "./trial.ts";

/** Ours: one failed request in an overload is the network's; this many are a way to refuse. */
export const FAILURES_MIN = 2;

/**
 * Whether they failed once, together, in an overload that is otherwise refused as promised; other
 * instances may have answered meanwhile, but not most of what was asked for, and other endpoints.
 * What met the other keys alike each time, whom nobody overloads, is no answer to an overload.
 */
export function isOutage(
  failed: readonly Exchange[],
  shots: readonly Exchange[],
  ofOtherKeys: readonly Exchange[],
): boolean {
  const refused = shotsWith(shots, "refused").length;
  if (refused === 0) return false;
  const inTurn = failed.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
  const spells = groupsOf(inTurn, (next, last) => next.sentAtMs - last.sentAtMs > AWAY_MS);
  const open = spells.filter((spell) => !isDownForAll(spell, shots, ofOtherKeys)).flat();
  if (open.length === 0) return true;
  const meanwhile = sentIn(shots, open);
  const lastedMs = spanMsOf(open);
  if (lastedMs > OUTAGE_MS_MAX) return lastedMs < AWAY_MS && isAway(shots, meanwhile);
  return refused > open.length || areFailed(meanwhile);
}

/** What failed for less than an accident lasts, when nothing that any key sent was answered. */
function isDownForAll(
  spell: readonly Exchange[],
  shots: readonly Exchange[],
  ofOtherKeys: readonly Exchange[],
): boolean {
  const beside = sentIn(ofOtherKeys, spell);
  if (spanMsOf(spell) >= AWAY_MS || beside.length < FAILURES_MIN) return false;
  return areFailed(beside) && areFailed(sentIn(shots, spell));
}

function spanMsOf(shots: readonly Exchange[]): number {
  const sentMs = shots.map(({ sentAtMs }) => sentAtMs);
  return mostOf(sentMs) - leastOf(sentMs);
}

/** Those of the first that were sent between the second. */
function sentIn(some: readonly Exchange[], others: readonly Exchange[]): readonly Exchange[] {
  const sentMs = others.map(({ sentAtMs }) => sentAtMs);
  const [fromMs, toMs] = [leastOf(sentMs), mostOf(sentMs)];
  return some.filter(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs <= toMs);
}

function areFailed(shots: readonly Exchange[]): boolean {
  return shotsWith(shots, "failed").length === shots.length;
}

/**
 * Whether only some endpoints failed, each time that they were asked: others were answered
 * meanwhile, and at other times the limit was told by these as well.
 */
function isAway(shots: readonly Exchange[], meanwhile: readonly Exchange[]): boolean {
  const failing = new Set(shotsWith(meanwhile, "failed").map(({ route }) => route));
  const ofThese = ({ route }: Exchange) => failing.has(route);
  const [own, others] = [meanwhile.filter(ofThese), meanwhile.filter((shot) => !ofThese(shot))];
  return (
    areFailed(own) &&
    others.length > shotsWith(others, "failed").length &&
    [...failing].every((name) => shotsWith(shots, "refused").some(({ route }) => route === name))
  );
}

/** Whether nothing that the key sent in those seconds was answered, also of what it had left. */
export function isDown(
  { limit, volleys, endpoints, drain }: KeyTrial,
  other: readonly Exchange[],
): boolean {
  const reads = [
    ...volleys.flatMap(({ shots }) => shots),
    ...endpoints.flatMap(({ exhaustedBy }) => exhaustedBy),
    ...(drain?.press ?? []),
  ];
  const isBeside = (read: Exchange) =>
    other.some(({ sentAtMs }) => Math.abs(read.sentAtMs - sentAtMs) <= OUTAGE_MS_MAX);
  const beside = reads.filter(isBeside);
  const areEnough = beside.length > limit.burst;
  return areEnough && areFailed(beside);
}

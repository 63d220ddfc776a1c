/**
 * First of all: does one key's excess cost another key anything? A shared limit corrupts the
 * rest.
 */

import type { IsolationTrial } from "../../contract/judges/rate/per-key.ts";
import { isSuspicious } from "../../contract/judges/rate/per-key.ts";
import type { Burst, EndpointTrial } from "../../contract/judges/rate/trial.ts";
import { shotsWith } from "../../contract/judges/rate/trial.ts";
import { exhaust, restedBurst } from "./bursts.ts";
import type { LimitedKey } from "./key.ts";
import { burstSize, LONG_REST_WINDOWS, rest } from "./key.ts";
import { fireBurst } from "./sending.ts";
import type { Opening } from "./trial.ts";
import { elsewhereAfter } from "./trial.ts";

export interface Isolation {
  openings: ReadonlyMap<string, Opening>;
  trials: readonly IsolationTrial[];
}

/** A key that was used up, and how many of its requests were refused then. */
interface Exhausted {
  key: LimitedKey;
  refused: number;
}

/**
 * One burst a key, each straight after the keys before it were exhausted. Before that all keys
 * rest, as others may have used them. A burst that falls short is taken again with the other keys
 * at rest, and once more beside all of those exhausted, so that a small burst is not taken for a
 * shared one.
 */
export async function openInTurn(keys: readonly LimitedKey[]): Promise<Isolation> {
  const openings = new Map<string, Opening>();
  const trials: IsolationTrial[] = [];
  const before: Exhausted[] = [];
  await restAll(keys);
  for (const key of keys) {
    const burst: Burst = { restedMs: 0, shots: await fireBurst(key) };
    const elsewhere = await elsewhereAfter(key, burst.shots);
    if (before.length > 0) trials.push(trialOf(key, before, burst));
    openings.set(key.name, openingOf(burst, elsewhere));
    before.push({ key, refused: shotsWith(burst.shots, "refused").length });
  }
  const examined: IsolationTrial[] = [];
  for (const trial of trials) examined.push(await examine(trial, keys));
  for (const trial of examined) {
    if (trial.alone.length > 0) openings.set(trial.key, { bursts: [], endpoints: [] });
  }
  return { openings, trials: examined };
}

function openingOf(burst: Burst, elsewhere: EndpointTrial): Opening {
  return { bursts: [burst], endpoints: [elsewhere] };
}

function trialOf(key: LimitedKey, before: readonly Exhausted[], burst: Burst): IsolationTrial {
  return {
    key: key.name,
    exhausted: before.map((other) => other.key.name),
    refusedOfOthers: before.at(-1)?.refused ?? 0,
    burst: key.limit.burst,
    besideExhausted: [burst],
    alone: [],
  };
}

async function examine(
  trial: IsolationTrial,
  keys: readonly LimitedKey[],
): Promise<IsolationTrial> {
  const first = trial.besideExhausted[0];
  const key = keys.find((each) => each.name === trial.key);
  const others = keys.filter(({ name }) => trial.exhausted.includes(name));
  if (first === undefined || key === undefined) return trial;
  if (!isSuspicious(first, trial.burst)) return trial;
  await restAll(keys);
  const alone = await restedBurst(key);
  await restAll(keys);
  await Promise.all(others.map((other) => exhaust(other, burstSize(other.limit))));
  const beside: Burst = { restedMs: 0, shots: await fireBurst(key) };
  await restAll(keys);
  const again = await restedBurst(key);
  return { ...trial, besideExhausted: [first, beside], alone: [alone, again] };
}

/** What any lawful limiter may remember is over then: what is short still, others have taken. */
async function restAll(keys: readonly LimitedKey[]): Promise<void> {
  await Promise.all(keys.map((key) => rest(key, LONG_REST_WINDOWS)));
}

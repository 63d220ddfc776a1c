/**
 * First of all: does one key's excess cost another key anything? A shared limit corrupts the
 * rest.
 */

import type { IsolationTrial } from "../../contract/judges/rate/per-key.ts";
import { isLeaking, isSuspicious } from "../../contract/judges/rate/per-key.ts";
import type { Burst } from "../../contract/judges/rate/trial.ts";
import { shotsWith } from "../../contract/judges/rate/trial.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { planKey } from "../client/plan.ts";
import { restedBurst } from "./bursts.ts";
import { exhaust } from "./exhaust.ts";
import type { LimitedKey } from "./key.ts";
import { excessOf, isDemanding, LONG_REST_WINDOWS, rest } from "./key.ts";
import { fire, fireBurst } from "./sending.ts";
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

/** Ours: of the keys that share an account, or a plan, with a measured one; of each so many. */
const MATES_MAX = 2;
/** Ours: a key of many mates would be asked too much, beside what others ask of it. */
const ASKED_AS_MATE_MAX = 2;
/** Ours: others of this run use the key meanwhile, and up to 0.85 of its burst in a window. */
const MATE_BURST_SHARE = 0.1;

/**
 * One burst a key, each straight after the keys before it were exhausted. Before that all keys
 * rest, as others may have used them. A burst that falls short is taken again with the other keys
 * at rest, and once more beside all of those exhausted, so that a small burst is not taken for a
 * shared one.
 *
 * `spares`: keys that other scenarios use meanwhile. A few requests with those of the same accounts
 * and plans are told of only where a shared limit refuses them.
 */
export async function openInTurn(
  keys: readonly LimitedKey[],
  spares: readonly LimitedKey[],
): Promise<Isolation> {
  const openings = new Map<string, Opening>();
  const trials: IsolationTrial[] = [];
  const ofMates: IsolationTrial[] = [];
  const before: Exhausted[] = [];
  const asked: string[] = [];
  await restAll(keys);
  for (const key of keys) {
    const burst: Burst = { restedMs: 0, shots: await fireBurst(key) };
    const exhausted = { key, refused: shotsWith(burst.shots, "refused").length };
    const seldom = spares.filter(({ name }) => {
      return asked.filter((each) => each === name).length < ASKED_AS_MATE_MAX;
    });
    const mates = matesOf(key, seldom).map(async (mate) => {
      asked.push(mate.name);
      const few: Burst = { restedMs: 0, shots: await fireFew(mate) };
      return { ...trialOf(mate, [exhausted], few), burst: few.shots.length };
    });
    const elsewhere = await elsewhereAfter(key, burst.shots);
    ofMates.push(...(await Promise.all(mates)));
    if (before.length > 0) trials.push(trialOf(key, before, burst));
    openings.set(key.name, { bursts: [burst], endpoints: [elsewhere] });
    const isLast = key === keys.at(-1);
    const refused = exhausted.refused > 0 || isLast ? exhausted.refused : await refusedAtLast(key);
    before.push({ key, refused });
  }
  const examined: IsolationTrial[] = [];
  for (const trial of trials) examined.push(await examine(trial, keys, OF_MEASURED));
  for (const trial of examined) {
    if (trial.alone.length > 0) openings.set(trial.key, { bursts: [], endpoints: [] });
  }
  for (const trial of ofMates) {
    // A limit that keys are known to share needs no more of the rests that it takes to tell.
    if (examined.some(isLeaking)) break;
    const mate = await examine(trial, [...keys, ...spares], OF_MATES);
    if (isLeaking(mate)) examined.push(mate);
  }
  return { openings, trials: examined };
}

/** A key that earned its burst anew while a busy machine sent it is asked until it is refused. */
async function refusedAtLast(key: LimitedKey): Promise<number> {
  return shotsWith(await exhaust(key), "refused").length;
}

/** An account's keys may share a limit, whatever their plans are, and so may those of a plan. */
function matesOf(key: LimitedKey, spares: readonly LimitedKey[]): readonly LimitedKey[] {
  const { sustained, burst } = key.limit;
  const isOfPlan = ({ planName, limit }: LimitedKey) =>
    planName === key.planName && limit.sustained === sustained && limit.burst === burst;
  const accountOf = ({ plan, name }: LimitedKey) => planKey(plan, name).account;
  const account = accountOf(key);
  const isOfAccount = (spare: LimitedKey) => account !== null && accountOf(spare) === account;
  if (isDemanding(key.limit)) return [];
  const ofAccount = spares.filter(isOfAccount).slice(0, MATES_MAX);
  const ofPlan = spares.filter(isOfPlan).slice(0, MATES_MAX);
  return [...new Set([...ofAccount, ...ofPlan])];
}

/** How much is sent with a key that is suspected: beside exhausted ones, and rested. */
interface Shooting {
  beside: (key: LimitedKey) => Promise<readonly Exchange[]>;
  rested: (key: LimitedKey) => Promise<Burst>;
}

const OF_MEASURED: Shooting = { beside: fireBurst, rested: restedBurst };
const OF_MATES: Shooting = {
  beside: fireFew,
  rested: async (mate) => ({ restedMs: await rest(mate), shots: await fireFew(mate) }),
};

/** More than a shared bucket earns meanwhile. */
function fireFew(mate: LimitedKey): Promise<readonly Exchange[]> {
  const most = Math.floor(mate.limit.burst * MATE_BURST_SHARE);
  return fire(mate, Math.min(excessOf(mate.limit), most));
}

function trialOf(key: LimitedKey, before: readonly Exhausted[], burst: Burst): IsolationTrial {
  return {
    key: key.name,
    exhausted: before.map((other) => other.key.name),
    refusedOfOthers: before.at(-1)?.refused ?? 0,
    burst: key.limit.burst,
    sustained: key.limit.sustained,
    besideExhausted: [burst],
    alone: [],
  };
}

async function examine(
  trial: IsolationTrial,
  keys: readonly LimitedKey[],
  { beside, rested }: Shooting,
): Promise<IsolationTrial> {
  const first = trial.besideExhausted[0];
  const key = keys.find((each) => each.name === trial.key);
  const others = keys.filter(({ name }) => trial.exhausted.includes(name));
  if (first === undefined || key === undefined) return trial;
  if (!isSuspicious(first, trial.burst)) return trial;
  await restAll(keys);
  const alone = await rested(key);
  await restAll(keys);
  const exhausted = others.map((other) => exhaust(other));
  const shots = (await Promise.all(exhausted)).at(-1) ?? [];
  // A burst that was sent too slowly to be refused may have left nothing all the same.
  const refusedOfOthers = Math.max(trial.refusedOfOthers, shotsWith(shots, "refused").length);
  const second: Burst = { restedMs: 0, shots: await beside(key) };
  await restAll(keys);
  const again = await rested(key);
  return { ...trial, refusedOfOthers, besideExhausted: [first, second], alone: [alone, again] };
}

/** What any lawful limiter may remember is over then: what is short still, others have taken. */
async function restAll(keys: readonly LimitedKey[]): Promise<void> {
  await Promise.all(keys.map((key) => rest(key, LONG_REST_WINDOWS)));
}

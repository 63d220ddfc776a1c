/**
 * Coming back after a refusal: exhausted, silent for exactly as long as told, then one request.
 *
 * A refusal tells how long a key waits that is at rest from then on. What was admitted after it
 * spends what the key was to wait for, and answers do not come in the order of decisions: a request
 * was decided some time between its sending and its receipt.
 */

import type { LimiterEstimate } from "../../contract/judges/rate/estimate.ts";
import { toldWaits } from "../../contract/judges/rate/refusals.ts";
import { RETURNS_MIN } from "../../contract/judges/rate/retry-after-sufficient.ts";
import type { Return } from "../../contract/judges/rate/trial.ts";
import { outcomeOf, shotsWith } from "../../contract/judges/rate/trial.ts";
import { windowMs } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { outlast, Patience } from "../client/patience.ts";
import { planKey } from "../client/plan.ts";
import type { Call } from "../client/send.ts";
import { delayUntil } from "../world/world.ts";
import { callsElsewhere, elsewhereCount, submissionToNobody } from "./bursts.ts";
import { askInTurn, exhaust } from "./exhaust.ts";
import type { LimitedKey } from "./key.ts";
import { ask, CLOCK_TICK_MS, rest, timeLeftMs, WAIT_MS_MAX } from "./key.ts";
import { fire } from "./sending.ts";

/** Ours: all waits together. */
const WAITS_TOTAL_MS_MAX = { quick: 45_000, standard: 80_000, soak: 80_000 } as const;

/** Ours: a burst that is sent so late in a part of a window is mostly sent in it. */
const PART_SHARE = 0.5;

/** Whose refusal a return goes by, in turn: each endpoint may tell another wait. */
type ToldBy = "account" | "submissions" | Partial<Call>;
/** Ours: one of them may meet what the key has earned by then. */
const SUBMISSIONS = 3;

interface Returns {
  returns: Return[];
  declined: Exchange[];
  /** To a worker that does not exist: should one be admitted, nothing is run. */
  submissions: Exchange[];
}

/**
 * Exhausts, waits as told in silence, asks once; at least six times, unless the waits are too
 * long. Where refused requests don't count, each of them was told the truth: the shortest is tried.
 */
export async function returnAsTold(
  key: LimitedKey,
  limiter: Pick<LimiterEstimate, "starved"> | null,
): Promise<Returns> {
  const { world } = key;
  const starved = limiter?.starved === true;
  const which = limiter === null || starved ? "last" : "first";
  const found: Returns = { returns: [], declined: [], submissions: [] };
  const patience = new Patience();
  let startMs = world.now();
  let sent: readonly Exchange[] = [];
  const waitsMsMax = WAITS_TOTAL_MS_MAX[key.plan.profile];
  const phases = phasesOf(key);
  const turns = starved ? (["account"] as ToldBy[]) : turnsOf(key);
  const turnsMax = turns.length * 2;
  for (let round = 0; found.returns.length < RETURNS_MIN || round < turns.length; round++) {
    const restedAtMs = world.now();
    if (await outlast(world, patience, sent)) {
      startMs += world.now() - restedAtMs;
    }
    if (world.now() - startMs >= waitsMsMax || timeLeftMs(key) <= 0) return found;
    if (starved) {
      await rest(key);
      await phases.untried();
    }
    const reads = starved ? await refusedLast(key, round) : await exhaust(key);
    const by = turns[round % turns.length];
    const [submissions, beside] = by === "submissions" ? await submitToNobody(key) : [[], []];
    // Where the reads beside them fail as well, the service is down, and no limit is its reason.
    const isDown = shotsWith(beside, "failed").length === beside.length;
    sent = isDown ? [] : submissions;
    found.submissions.push(...sent);
    const others = typeof by === "object" ? await askBeyond(key, by) : [];
    const shots = [...reads, ...beside, ...submissions, ...others];
    const told = toldBy([...submissions, ...others], which, shots) ?? toldBy(reads, which, shots);
    if (told === null) return found;
    if (told.waitMs > WAIT_MS_MAX) {
      found.declined.push(told.shot);
      return found;
    }
    const back = await returnAfter(key, shots, told);
    const isTelling = back?.refusal === told.shot && !isByChance(key, back);
    if (typeof by === "object" && !isTelling && turns.length < turnsMax) turns.push(by);
    if (back === null) continue;
    found.returns.push(back);
  }
  return found;
}

/**
 * The last refusal is decided after all else, so that it tells the wait of a key at rest. In every
 * other round it is the first one, too, as a caller meets it who asks one request at a time: those
 * after it may tell of a penalty that it kept back. A strong key earns too much for that.
 */
async function refusedLast(key: LimitedKey, round: number): Promise<readonly Exchange[]> {
  const inTurn = round % 2 === 0 ? [] : await askInTurn(key);
  if (shotsWith(inTurn, "refused").length > 0) return inTurn;
  const shots = await exhaust(key, key.limit.burst + 1);
  return [...inTurn, ...shots, await ask(key)];
}

/**
 * Parts of a window of the key's limit, by our clock. Rounds that rest take as long each time, and
 * would meet a limiter whose windows lie by the clock at about the same moment of them.
 */
function phasesOf({ world, limit, random }: LimitedKey) {
  const partMs = windowMs(limit) / RETURNS_MIN;
  const partNow = () => Math.floor(world.now() / partMs) % RETURNS_MIN;
  const tried = new Set<number>();
  return {
    /** Waits for the next part that was not tried, if there is one. */
    async untried(): Promise<void> {
      const startMs = world.now();
      const toEndMs = partMs - (startMs % partMs);
      for (let ahead = 0; ahead < RETURNS_MIN; ahead++) {
        const part = (partNow() + ahead) % RETURNS_MIN;
        if (tried.has(part)) continue;
        tried.add(part);
        if (ahead === 0) return;
        const withinMs = random.next() * partMs * PART_SHARE;
        return delayUntil(world, startMs + toEndMs + (ahead - 1) * partMs + withinMs);
      }
    },
  };
}

/**
 * The submissions, reads beside them, which use up what the key earns meanwhile, and one more alone
 * when all are answered, which is surely decided last.
 */
async function submitToNobody(
  key: LimitedKey,
): Promise<[readonly Exchange[], readonly Exchange[]]> {
  const submission = submissionToNobody(key);
  const reads = fire(key, elsewhereCount(key.limit));
  const calls = Array.from({ length: SUBMISSIONS }, () => ask(key, submission));
  const [submissions, beside] = await Promise.all([Promise.all(calls), reads]);
  return [[...submissions, await ask(key, submission)], beside];
}

/**
 * The job list and another endpoint, which differs from key to key, by turns; the slowest key goes
 * on with all others where there is time: a strong one may come back at once, whatever it is told.
 */
function turnsOf(key: LimitedKey): ToldBy[] {
  const [list = {}, ...others] = callsElsewhere(key);
  const rateOf = (name: string) => planKey(key.plan, name).sustained ?? Number.POSITIVE_INFINITY;
  const slowestFirst = [...key.plan.roles.limited].sort((a, b) => rateOf(a) - rateOf(b));
  const place = Math.max(0, slowestFirst.indexOf(key.name));
  const own = others[place % others.length] ?? list;
  const isThorough = place === 0 && key.plan.profile !== "quick";
  const more = isThorough ? others.filter((call) => call !== own) : [];
  return ["account", "submissions", list, "account", "submissions", own, ...more];
}

/** Whether the key may have come back by chance, as after any wait in which it earns a request. */
function isByChance({ limit }: LimitedKey, { toldMs, probe }: Return): boolean {
  return outcomeOf(probe) !== "refused" && toldMs < 1_000 / limit.sustained;
}

/** Several at once, and one more alone when all are answered. */
async function askBeyond(key: LimitedKey, call: Partial<Call>): Promise<readonly Exchange[]> {
  const shots = await fire(key, elsewhereCount(key.limit), call);
  return [...shots, await ask(key, call)];
}

/**
 * `shots`: all that were on the way with the refused one. Where another of them may have been
 * admitted after it, a second refusal contradicts nothing: it was alone on the way, and its own
 * wait is tried in place of the first. Null where nothing can be told.
 */
async function returnAfter(
  key: LimitedKey,
  shots: readonly Exchange[],
  { shot: refusal, waitMs }: Told,
): Promise<Return | null> {
  await delayUntil(key.world, refusal.receivedAtMs + waitMs + CLOCK_TICK_MS);
  const sentMs = key.world.now();
  const probe = await ask(key);
  const waitedMs = sentMs - refusal.receivedAtMs;
  const outcome = outcomeOf(probe);
  // A clock of ours that jumped: nobody can tell how long the wait really was.
  if (waitedMs < waitMs || outcome === "failed") return null;
  if (outcome === "refused" && !hasRested(shots, refusal)) {
    const again = toldBy([probe], "first", [probe]);
    return again === null || again.waitMs > WAIT_MS_MAX ? null : returnAfter(key, [probe], again);
  }
  return { exhaustedBy: shots, refusal, toldMs: waitMs, waitedMs, probe };
}

/**
 * The same for some of the requests on an exhausted key, whose refusals may have been given a wait
 * of their own; `before`: all others that were on the way.
 */
export async function returnAfterThese(
  key: LimitedKey,
  before: readonly Exchange[],
  these: readonly Exchange[],
): Promise<Return[]> {
  const shots = [...before, ...these];
  const told = toldBy(these, "last", shots);
  if (told === null || told.waitMs > WAIT_MS_MAX) return [];
  const back = await returnAfter(key, shots, told);
  return back === null ? [] : [back];
}

/** Whether all that was not refused was surely decided before that one. */
function hasRested(shots: readonly Exchange[], refusal: Exchange): boolean {
  return shots.every(
    (shot) => outcomeOf(shot) === "refused" || shot.receivedAtMs <= refusal.sentAtMs,
  );
}

type Told = ReturnType<typeof toldWaits>[number];

/**
 * The refusal whose told wait ends first or last, if possible of those that tell of a key at rest;
 * null when none of them tells one. `all`: whatever was on the way with them.
 */
function toldBy(
  shots: readonly Exchange[],
  which: "first" | "last",
  all: readonly Exchange[],
): Told | null {
  const endOf = (each: Told): number => each.shot.receivedAtMs + each.waitMs;
  const told = toldWaits(shotsWith(shots, "refused"));
  const atRest = told.filter(({ shot }) => hasRested(all, shot));
  const best = atRest.length > 0 ? atRest : told;
  return best.sort((a, b) => endOf(a) - endOf(b)).at(which === "first" ? 0 : -1) ?? null;
}

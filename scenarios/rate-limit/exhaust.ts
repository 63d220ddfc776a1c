/** How a key is exhausted: by all at once, or by one connection after the other. */

import { outcomeOf, shotsWith } from "../../contract/judges/rate/trial.ts";
import { medianOf } from "../../contract/numbers/figures.ts";
import { windowMs } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { LimitedKey } from "./key.ts";
import { ask, burstSize, isDemanding } from "./key.ts";
import { fire, fireUntilRefused } from "./sending.ts";

/** Ours: after so many bursts' worth without one 429 there is no limit to reach. */
const EXHAUST_BURSTS_MAX = 3;

/** Ours: requests that make sure of a refusal, and in how long a key may earn as many more. */
const REFUSED_BEYOND = 3;
const UNEVEN_SECONDS = 0.02;

/** What a key can have earned since it had nothing left, up to a burst, and a few more. */
function spendingOf({ world, limit, emptyAtMs }: LimitedKey): number {
  const seconds = (world.now() - emptyAtMs) / 1_000 + UNEVEN_SECONDS;
  return Math.ceil(limit.sustained * seconds) + REFUSED_BEYOND;
}

/**
 * Fires until a request is refused, twice as many each round; returns what was fired anyway. More
 * than a burst at once are needed where they come scattered, where what comes beyond it waits, or
 * where a few answers are late: the key has earned as much by the next round.
 */
export async function exhaust(
  key: LimitedKey,
  step = spendingOf(key),
): Promise<readonly Exchange[]> {
  if (isDemanding(key.limit)) return fireUntilRefused(key, 1);
  const shots: Exchange[] = [];
  const whole = burstSize(key.limit);
  const most = whole * EXHAUST_BURSTS_MAX;
  let count = Math.min(step, whole);
  for (; shots.length < most && !key.revocation.isSeen; count *= 2) {
    const fired = await fire(key, Math.min(count, most - shots.length));
    shots.push(...fired);
    if (shotsWith(shots, "refused").length > 0 || spendsNothing(fired)) break;
  }
  return shots;
}

/** Ours: what fails so often in a row spends nothing, as that of a key which was revoked. */
const FAILED_IN_A_ROW_MAX = 20;

function spendsNothing(fired: readonly Exchange[]): boolean {
  const failed = shotsWith(fired, "failed").length;
  return failed >= FAILED_IN_A_ROW_MAX && failed === fired.length;
}

/** Ours: a slower exhaustion is hopeless, as the key earns as much meanwhile as it spends. */
const IN_TURN_WINDOWS = 0.5;

/** Ours: where one connection is too slow for that, a few are still fewer than come after them. */
const CONNECTIONS_IN_TURN = [1, 4];
/** Ours: to spend a burst in half a window takes three times the rate; a little more is sure. */
const SPEND_FACTOR = 4;
/** Ours: the more ask at once, the longer each waits for its answers; that is seen only then. */
const ROUNDS_BY_PACE = 3;

interface InTurn {
  shots: readonly Exchange[];
  /** How many asked at once. */
  connections: number;
}

const NOTHING_IN_TURN: InTurn = { shots: [], connections: 0 };

/**
 * Asks on one connection, or else on a few, one at a time on each, until a request is refused. On
 * a long way it takes as many as its round trips keep waiting.
 */
export async function exhaustInTurn(key: LimitedKey): Promise<InTurn> {
  let found = NOTHING_IN_TURN;
  const tryWith = async (connections: number): Promise<boolean> => {
    const each = Array.from({ length: connections }, () => askInTurn(key));
    found = { shots: (await Promise.all(each)).flat(), connections };
    return shotsWith(found.shots, "refused").length > 0;
  };
  for (const connections of CONNECTIONS_IN_TURN) {
    if (await tryWith(connections)) return found;
    // More of them would fail as well.
    if (shotsWith(found.shots, "failed").length === found.shots.length) return NOTHING_IN_TURN;
  }
  for (let round = 0; round < ROUNDS_BY_PACE; round++) {
    const perConnection = 1_000 / Math.max(1, lastMs(found));
    const needed = Math.ceil((SPEND_FACTOR * key.limit.sustained) / perConnection);
    const most = Math.min(needed, burstSize(key.limit));
    if (await tryWith(Math.max(most, found.connections + 1))) return found;
  }
  return { ...found, shots: [] };
}

/** Ours: of what was asked in turn, so much tells how long answers took in the end. */
const LAST_SHARE = 0.1;

/**
 * How long a request took in the end, in ms: what comes beyond the burst may wait for its turn, so
 * that only more at once are refused any.
 */
function lastMs({ shots, connections }: InTurn): number {
  const count = Math.max(connections, Math.ceil(shots.length * LAST_SHARE));
  return usualMs(shots.toSorted((a, b) => a.receivedAtMs - b.receivedAtMs).slice(-count));
}

/** How long a request usually takes, in ms. */
export function usualMs(shots: readonly Exchange[]): number {
  return medianOf(shots.map((shot) => shot.receivedAtMs - shot.sentAtMs));
}

/** On one connection, one at a time, until one is refused or a burst had long been spent. */
export async function askInTurn(key: LimitedKey): Promise<Exchange[]> {
  const shots: Exchange[] = [];
  const endMs = key.world.now() + IN_TURN_WINDOWS * windowMs(key.limit);
  const most = burstSize(key.limit) * EXHAUST_BURSTS_MAX;
  let failed = 0;
  while (shots.length < most && key.world.now() < endMs && !key.revocation.isSeen) {
    const shot = await ask(key);
    shots.push(shot);
    failed = outcomeOf(shot) === "failed" ? failed + 1 : 0;
    if (shot.status === 429 || failed >= FAILED_IN_A_ROW_MAX) break;
  }
  return shots;
}

/** How requests on a key are sent: many at once, as fast as connections answer, or evenly. */

import { outcomeOf } from "../../contract/judges/rate/trial.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Call } from "../client/send.ts";
import { prepareSend } from "../client/send.ts";
import { delayUntil } from "../world/world.ts";
import type { LimitedKey } from "./key.ts";
import { answered, ask, burstSize, excessOf, isDemanding } from "./key.ts";

/** Ours: connections that stay open between bursts; more at once would each be opened anew. */
const AT_ONCE_MAX = 1_200;
/** Ours: as many keep a service busy; more wait for each other, and cost a third more each. */
const CONNECTIONS = 200;

/** At once, or as fast as so many connections answer. */
export async function fire(
  key: LimitedKey,
  count: number,
  call?: Partial<Call>,
): Promise<readonly Exchange[]> {
  if (key.revocation.isSeen) return [];
  if (count > AT_ONCE_MAX) return fireOn(key, { connections: AT_ONCE_MAX, count, call });
  return Promise.all(Array.from({ length: count }, () => ask(key, call)));
}

/** A burst, and a little more; of a key that earns much meanwhile, until enough was refused. */
export function fireBurst(
  key: LimitedKey,
  count = burstSize(key.limit),
): Promise<readonly Exchange[]> {
  return isDemanding(key.limit) ? fireUntilRefused(key, excessOf(key.limit)) : fire(key, count);
}

/** Until so many were refused, or a burst is surely spent. */
export function fireUntilRefused(key: LimitedKey, refusals: number): Promise<readonly Exchange[]> {
  const firing = { connections: CONNECTIONS, count: burstSize(key.limit), refusals };
  return fireOn(key, firing);
}

interface Firing {
  connections: number;
  count: number;
  /** After so many it ends; left out: none does. */
  refusals?: number;
  call?: Partial<Call> | undefined;
}

function fireOn(
  key: LimitedKey,
  { connections, count, refusals = Number.POSITIVE_INFINITY, call }: Firing,
): Promise<readonly Exchange[]> {
  return new Promise((resolve) => {
    const shots: Exchange[] = [];
    let [left, refused] = [key.revocation.isSeen ? 0 : count, 0];
    const pool = new Connections(
      key,
      () => call,
      (shot) => {
        shots.push(shot);
        if (outcomeOf(shot) === "refused") refused += 1;
        if (refused >= refusals || key.revocation.isSeen) left = 0;
        if (left > 0) askNext();
        else if (pool.inFlight === 0) resolve(shots);
      },
    );
    const askNext = () => {
      left -= 1;
      pool.ask();
    };
    while (left > 0 && pool.inFlight < connections) askNext();
    if (pool.inFlight === 0) resolve(shots);
  });
}

/** Which request comes after so many others; left out: GET /v1/me. */
export type CallAt = (before: number) => Partial<Call> | undefined;

const OWN_ACCOUNT: Partial<Call> = { method: "GET", route: "me" };

/** Sends requests time and again; what is prepared for one is used again once it is answered. */
class Connections {
  inFlight = 0;
  readonly #key: LimitedKey;
  readonly #callAt: CallAt;
  readonly #onAnswered: (shot: Exchange) => void;
  readonly #idle = new Map<Partial<Call>, (() => void)[]>();
  #asked = 0;

  constructor(key: LimitedKey, callAt: CallAt, onAnswered: (shot: Exchange) => void) {
    this.#key = key;
    this.#callAt = callAt;
    this.#onAnswered = onAnswered;
  }

  ask(): void {
    const key = this.#key;
    const call = this.#callAt(this.#asked) ?? OWN_ACCOUNT;
    key.lastSentMs = key.world.now();
    key.sent += 1;
    this.inFlight += 1;
    this.#asked += 1;
    const send = this.#idleFor(call).pop() ?? this.#connect(call);
    send();
  }

  #idleFor(call: Partial<Call>): (() => void)[] {
    const idle = this.#idle.get(call) ?? [];
    this.#idle.set(call, idle);
    return idle;
  }

  #connect(call: Partial<Call>): () => void {
    const key = this.#key;
    const { world, plan, name } = key;
    const sent: Call & { key: string } = { method: "GET", route: "me", ...call, key: name };
    const idle = this.#idleFor(call);
    const send = prepareSend(world, plan, sent, (shot) => {
      this.inFlight -= 1;
      idle.push(send);
      answered(key, shot);
      this.#onAnswered(shot);
    });
    return send;
  }
}

/** What lists hold is none of the limits' business, and would fill a line of evidence. */
export function withoutLongBody(shot: Exchange): Exchange {
  return shot.route === OWN_ACCOUNT.route ? shot : { ...shot, body: "" };
}

/** How requests are spaced; lateness of up to `catchUpMs` is made good. */
interface Schedule {
  catchUpMs: number;
  jitterShare: number;
  /** Asked at the end, with the answers so far: whether to go on for as long again. */
  goesOn?: (answered: readonly Exchange[]) => boolean;
  callAt?: CallAt;
  /** It ends once so much was late beyond that: of the rest nothing is told. Left out: never. */
  lostMsMax?: number | undefined;
  /** How long nothing that is lost counts, as nothing is told of it; left out: not at all. */
  unheldMs?: number;
}

/** All times are whole ms: what is due within one is sent together. */
const GRAIN_MS = 1;
/** Ours: answers are read in between, so that none looks late. */
const TOGETHER_MAX = 32;

/**
 * Evenly spaced requests on an absolute schedule. What is later than may be caught up stays late,
 * so that a generator that stalls never sends a bunch that the plan does not allow.
 */
export async function sendEvenly(
  key: LimitedKey,
  perSecond: number,
  durationMs: number,
  schedule: Schedule,
): Promise<readonly Exchange[]> {
  const { world } = key;
  const { catchUpMs, jitterShare, goesOn = () => false, callAt = () => undefined } = schedule;
  const { lostMsMax = Number.POSITIVE_INFINITY, unheldMs = 0 } = schedule;
  const spacingMs = 1_000 / perSecond;
  const aheadMs = spacingMs < GRAIN_MS ? GRAIN_MS : 0;
  const answered: Exchange[] = [];
  const waiting = { forLast: () => {}, forRoom: () => {} };
  const connectionsMax = isDemanding(key.limit) ? AT_ONCE_MAX : Number.POSITIVE_INFINITY;
  const pool = new Connections(key, callAt, (shot) => {
    answered.push(withoutLongBody(shot));
    waiting.forRoom();
    if (pool.inFlight === 0) waiting.forLast();
  });
  let endMs = world.now() + durationMs;
  let [dueMs, together, lostMs] = [world.now(), TOGETHER_MAX, 0];
  const heldFromMs = dueMs + unheldMs;
  while (dueMs < endMs && lostMs <= lostMsMax && !key.revocation.isSeen) {
    if (together >= TOGETHER_MAX || dueMs >= world.now() + aheadMs) {
      await delayUntil(world, dueMs);
      together = 0;
    }
    while (pool.inFlight >= connectionsMax) {
      await new Promise<void>((resolve) => {
        waiting.forRoom = resolve;
      });
    }
    together += 1;
    pool.ask();
    const base = Math.max(dueMs, world.now() - catchUpMs);
    lostMs += Math.max(0, base - Math.max(dueMs, heldFromMs));
    dueMs = base + spacingMs * (1 + jitterShare * (key.random.next() - 0.5));
    if (dueMs >= endMs && goesOn(answered)) endMs += durationMs;
  }
  if (pool.inFlight === 0) return answered;
  return new Promise((resolve) => {
    waiting.forLast = () => resolve(answered);
  });
}

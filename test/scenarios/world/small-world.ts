/** A world made by hand: time that jumps to what is due, and a service that is one function. */

import { setImmediate as turnOfLoop } from "node:timers/promises";
import type { EvidenceRecord } from "../../../contract/run/evidence.ts";
import type { Clock } from "../../../contract/time/clock.ts";
import { dueQueue } from "../../../contract/time/due-queue.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import type { WireRequest, WireResponse, World } from "../../../scenarios/world/world.ts";
import { preparing } from "../../../scenarios/world/world.ts";

export interface SmallWorld {
  world: World;
  records: EvidenceRecord[];
  requests: WireRequest[];
  /** Lets time pass until the run is over; fails where nothing is due any more. */
  until<Result>(run: Promise<Result>): Promise<Result>;
}

export interface Answer {
  status: number;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** For so long it is held back; left out: not at all. */
  heldMs?: number;
}

/** Every request takes so long; the service answers in the middle of it. */
const ONE_WAY_MS = 1;

export function smallWorld(
  answer: (request: WireRequest, nowMs: number) => Answer,
  env: Readonly<Record<string, string>> = {},
): SmallWorld {
  const { clock, pass } = jumpingClock(Date.UTC(2026, 0, 1));
  const random = seededRandom(1);
  const records: EvidenceRecord[] = [];
  const requests: WireRequest[] = [];
  const delay = (ms: number) =>
    new Promise<void>((resolve) => void clock.after(Math.max(0, ms), resolve));
  const world: World = {
    now: () => Math.floor(clock.nowMs()),
    delay,
    async request(request): Promise<WireResponse> {
      requests.push(request);
      await delay(ONE_WAY_MS);
      const { status, body = "{}", headers = {}, heldMs = 0 } = answer(request, clock.nowMs());
      await delay(ONE_WAY_MS + heldMs);
      const times = { transportMs: 2 * ONE_WAY_MS + heldMs, bodyMs: 0 };
      return { status, headers, body, error: null, ...times, isReused: true };
    },
    prepare: preparing((request) => world.request(request)),
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.next() * 256),
    env: (name) => env[name],
    emit: (record) => void records.push(record),
    shard: { index: 0, count: 1 },
    beganAtMs: () => Date.UTC(2026, 0, 1),
  };
  return { world, records, requests, until: (run) => passUntil(run, pass) };
}

interface JumpingClock {
  clock: Clock;
  /** Jumps to what is due next; false where nothing is. */
  pass(): boolean;
}

function jumpingClock(startMs: number): JumpingClock {
  const due = dueQueue<() => void>();
  let nowMs = startMs;
  const clock: Clock = {
    nowMs: () => nowMs,
    after(delayMs, callback) {
      let isCancelled = false;
      due.add(nowMs + delayMs, () => isCancelled || callback());
      return () => {
        isCancelled = true;
      };
    },
  };
  const pass = () => {
    const nextMs = due.nextDueMs();
    if (nextMs === Number.POSITIVE_INFINITY) return false;
    nowMs = Math.max(nowMs, nextMs);
    due.take(nowMs)?.();
    return true;
  };
  return { clock, pass };
}

async function passUntil<Result>(run: Promise<Result>, pass: () => boolean): Promise<Result> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  run.then(end, end);
  for (;;) {
    // All that follows from what happened last comes before time goes on.
    await turnOfLoop();
    if (isOver) return run;
    if (!pass()) throw new Error("the run waits, and nothing is due");
  }
}

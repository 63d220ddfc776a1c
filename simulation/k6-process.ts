/**
 * A virtual user of k6: one event loop on the suite's machine, requests over the network. Where
 * several carry one load, each has a runtime and connections of its own.
 */

import { USER_AGENT } from "../contract/requests/routes.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import { formatRecord, parseRecord } from "../contract/run/evidence.ts";
import type { Shard } from "../contract/run/shards.ts";
import { WHOLE_LOAD } from "../contract/run/shards.ts";
import type { Secrets } from "../contract/text/secret.ts";
import type { WireRequest, World } from "../scenarios/world/world.ts";
import { preparing } from "../scenarios/world/world.ts";
import type { Draw } from "./chance.ts";
import { bytes } from "./chance.ts";
import type { Route } from "./http.ts";
import { ask, originOf } from "./http.ts";
import type { Machine } from "./machine.ts";
import { Program } from "./machine.ts";

/**
 * Processor time of k6's one loop, in ms: what sending takes, reading an answer with each thousand
 * characters of its body, and a timer. Ours: a bare request takes 0.27 ms of it, as 3,664 a second
 * were reached with one loop; a job object of a kilobyte, which is decoded, twice as much.
 */
const COST = { send: 0.12, receive: 0.08, receiveChars: 0.3 / 1_000, timer: 0.02 };
/** Ours: with one loop 10,900 prepared requests a second were reached. */
const PREPARED: typeof COST = { ...COST, send: 0.05, receive: 0.04, receiveChars: 0 };

/** Ours: cores of the suite's machine. Beyond them virtual users take turns. */
export const CORES = 2;

export interface K6Process {
  world: World;
  records: readonly EvidenceRecord[];
  /** As a signal ends it. */
  kill: () => void;
}

export interface K6Setup {
  machine: Machine;
  draw: Draw;
  environment: Secrets;
  /** By origin; a request to another one is refused. */
  routes: ReadonlyMap<string, Route>;
  /** Left out: it carries all of the load. */
  shard?: Shard;
  onRecord: (record: EvidenceRecord) => void;
}

export function startK6(setup: K6Setup): K6Process {
  const { machine, draw, environment, routes, shard = WHOLE_LOAD, onRecord } = setup;
  const program = new Program(machine);
  const records: EvidenceRecord[] = [];
  const beganAtMs = Math.floor(program.nowMs());
  const cost = costAmong(shard.count, COST);
  const prepared = costAmong(shard.count, PREPARED);
  const requestAt =
    (each: typeof COST): World["request"] =>
    (wire) =>
      ask(program, each, routes.get(originOf(wire.url)), named(wire));
  const world: World = {
    now: () => Math.floor(program.nowMs()),
    delay: (ms) => delay(program, cost.timer, ms),
    request: requestAt(cost),
    prepare: preparing(requestAt(prepared)),
    randomBytes: (count) => bytes(draw, count),
    env: (name) => environment.get(name)?.reveal(),
    emit(record) {
      const kept = parseRecord(formatRecord(record));
      if (kept === null) throw new Error(`a record that cannot be read: ${record.type}`);
      records.push(kept);
      onRecord(kept);
    },
    shard,
    beganAtMs: () => beganAtMs,
  };
  return { world, records, kill: () => program.kill() };
}

/** k6 names itself in each request, as its options say. */
function named(wire: WireRequest): WireRequest {
  return { ...wire, headers: { ...wire.headers, "User-Agent": USER_AGENT } };
}

/** More of them than cores share these evenly. */
function costAmong(users: number, one: typeof COST): typeof COST {
  const turns = Math.max(1, users / CORES);
  const { send, receive, receiveChars, timer } = one;
  return {
    send: send * turns,
    receive: receive * turns,
    receiveChars: receiveChars * turns,
    timer: timer * turns,
  };
}

/** Timers of k6 count from the present of the loop, and wait for it. */
function delay(program: Program, costMs: number, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const dueMs = program.nowMs() + Math.max(0, ms);
    program.machine.clock.plainAt(dueMs, () => program.enqueue(costMs, resolve));
  });
}

/** A scenario's k6: one event loop on the suite's machine, requests over the network. */

import type { EvidenceRecord } from "../contract/evidence.ts";
import { formatRecord, parseRecord } from "../contract/evidence.ts";
import type { World } from "../scenarios/world/world.ts";
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
const COST = { send: 0.12, receive: 0.08, receiveChars: 0.3 / 1_000, timer: 0.02 } as const;

export interface K6Process {
  world: World;
  records: readonly EvidenceRecord[];
}

export interface K6Setup {
  machine: Machine;
  draw: Draw;
  environment: ReadonlyMap<string, string>;
  /** By origin; a request to another one is refused. */
  routes: ReadonlyMap<string, Route>;
  onRecord: (record: EvidenceRecord) => void;
}

export function startK6(setup: K6Setup): K6Process {
  const { machine, draw, environment, routes, onRecord } = setup;
  const program = new Program(machine);
  const records: EvidenceRecord[] = [];
  const world: World = {
    now: () => Math.floor(program.nowMs()),
    delay: (ms) => delay(program, ms),
    request: (request) => ask(program, COST, routes.get(originOf(request.url)), request),
    randomBytes: (count) => bytes(draw, count),
    env: (name) => environment.get(name),
    emit(record) {
      const kept = parseRecord(formatRecord(record));
      if (kept === null) throw new Error(`a record that cannot be read: ${record.type}`);
      records.push(kept);
      onRecord(kept);
    },
    shard: { index: 0, count: 1 },
  };
  return { world, records };
}

/** Timers of k6 count from the present of the loop, and wait for it. */
function delay(program: Program, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const dueMs = program.nowMs() + Math.max(0, ms);
    program.machine.clock.plainAt(dueMs, () => program.enqueue(COST.timer, resolve));
  });
}

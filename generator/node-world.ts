/**
 * The world of a scenario in Node: the machine's clock and timers, undici, the environment. It does
 * for a load what k6 does, at a fraction of its processor time, as its engine compiles.
 */

import { randomBytes } from "node:crypto";
import { createSystemClock, nowMs } from "../clock/system-clock.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { Shard } from "../contract/run/shards.ts";
import { WireClient } from "../http/wire.ts";
import type { World } from "../scenarios/world/world.ts";
import { preparing } from "../scenarios/world/world.ts";

export interface NodeWorldOptions {
  shard: Shard;
  emit: (record: EvidenceRecord) => void;
  /** Milliseconds since the epoch; the same for all shards. */
  beganAtMs: number;
}

/** Its connections are closed by `close`. */
export interface NodeWorld extends World {
  close(): Promise<void>;
}

export function nodeWorld({ shard, emit, beganAtMs }: NodeWorldOptions): NodeWorld {
  const client = new WireClient();
  const clock = createSystemClock();
  const request: World["request"] = (wire) => client.send(wire);
  return {
    now: () => Math.floor(nowMs()),
    // What is due by now waits for no timer, or a load that is behind would never catch up.
    delay: (ms) =>
      new Promise((resolve) => {
        if (ms > 0) clock.after(ms, resolve);
        else clock.soon(resolve);
      }),
    request,
    prepare: preparing(request),
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    env: (name) => process.env[name],
    emit,
    shard,
    beganAtMs: () => beganAtMs,
    close: () => client.close(),
  };
}

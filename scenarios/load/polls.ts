/** When jobs are asked for: a queue of times, and for each key a line at its pace. */

import { dueQueue } from "../../contract/due-queue.ts";
import type { World } from "../world/world.ts";
import type { Entry } from "./ledger.ts";
import type { LoadedKey } from "./rates.ts";

export interface Polls {
  /** Asks for the job at that time, unless it is asked for sooner anyway. */
  schedule(entry: Entry, dueMs: number): void;
  /** Calls at that time; takes no turn of any key. */
  remind(dueMs: number, callback: () => void): void;
  /** Polls that wait for their turn with this key. */
  waiting(key: LoadedKey): number;
  stop(): void;
}

/** Ours: what is due is noticed this soon. */
const TICK_MS = 20;

type Due = { kind: "poll"; entry: Entry; dueMs: number } | { kind: "call"; callback: () => void };

const ON_ITS_WAY = Number.NEGATIVE_INFINITY;

export function startPolls(
  world: World,
  keys: readonly LoadedKey[],
  poll: (entry: Entry) => Promise<void>,
): Polls {
  const due = dueQueue<Due>();
  const lines = new Map(keys.map((key) => [key, [] as Entry[]]));
  let stopped = false;
  const take = (next: Due) => {
    if (next.kind === "call") return next.callback();
    const { entry, dueMs } = next;
    // A poll that was brought forward leaves its old place in the queue behind.
    if (entry.isClosed || entry.pollDueMs !== dueMs) return;
    entry.pollDueMs = ON_ITS_WAY;
    lines.get(entry.key)?.push(entry);
  };
  const watch = async () => {
    while (!stopped) {
      const takeDue = () => due.take(world.now());
      for (let next = takeDue(); next !== null; next = takeDue()) take(next);
      await world.delay(TICK_MS);
    }
  };
  const serve = async (key: LoadedKey, line: Entry[]) => {
    while (!stopped) {
      const entry = line.shift();
      if (entry === undefined) await world.delay(TICK_MS);
      else if (!entry.isClosed) {
        await key.pacer.turn();
        void poll(entry);
      }
    }
  };
  void watch();
  for (const [key, line] of lines) void serve(key, line);
  return {
    schedule(entry, dueMs) {
      if (entry.isClosed || (entry.pollDueMs !== null && entry.pollDueMs <= dueMs)) return;
      entry.pollDueMs = dueMs;
      due.add(dueMs, { kind: "poll", entry, dueMs });
    },
    remind: (dueMs, callback) => due.add(dueMs, { kind: "call", callback }),
    waiting: (key) => lines.get(key)?.length ?? 0,
    stop() {
      stopped = true;
    },
  };
}

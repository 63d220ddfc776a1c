/** Processes of the suite that stand still for a second now and then, at times from a seed. */

import { setTimeout as wait } from "node:timers/promises";
import { seededUniform } from "../../contract/numbers/random.ts";
import { processes } from "../endurance/growth.ts";

/** Ours: a machine that is moved, or whose disk hangs, stands still for about so long. */
const STALL_MS = 1_000;
/** Ours: a few stalls in each phase of a gate of two minutes. */
const EVERY_MS = [10_000, 20_000] as const;

export interface Stall {
  /** After the one before has ended. */
  afterMs: number;
  /** One process alone by its share of their number, or all of them (null). */
  alone: number | null;
}

/** Half of them stop one process alone: k6 without the receiver, or the other way round. */
export function drawStall(uniform: () => number): Stall {
  const [least, most] = EVERY_MS;
  const afterMs = least + uniform() * (most - least);
  return { afterMs, alone: uniform() < 0.5 ? null : uniform() };
}

export interface Stalling {
  count(): number;
  /** Lets everything run on. */
  end(): Promise<void>;
}

interface Row {
  pid: number;
  parent: number;
}

/** A process and all that it began, and these began. */
export function familyOf(root: number, rows: readonly Row[]): readonly number[] {
  const children = rows.filter(({ parent }) => parent === root);
  return [root, ...children.flatMap(({ pid }) => familyOf(pid, rows))];
}

/** Stops the process and those that it began, again and again, until it is told to end. */
export function stallNowAndThen(root: number, seed: number): Stalling {
  const uniform = seededUniform(seed);
  const ended = new AbortController();
  let count = 0;
  const stallOnce = async (): Promise<void> => {
    const { afterMs, alone } = drawStall(uniform);
    await waitUnless(ended.signal, afterMs);
    const family = familyOf(root, await processes());
    if (ended.signal.aborted) return;
    const at = alone === null ? null : Math.floor(alone * family.length);
    const stopped = family.filter((_, each) => at === null || each === at);
    signalAll(stopped, "SIGSTOP");
    count += 1;
    await waitUnless(ended.signal, STALL_MS);
    signalAll(stopped, "SIGCONT");
  };
  const loop = async (): Promise<void> => {
    while (!ended.signal.aborted) await stallOnce();
  };
  const looped = loop();
  return {
    count: () => count,
    async end() {
      ended.abort();
      await looped;
    },
  };
}

/** Until the time is over, or the signal comes. */
async function waitUnless(signal: AbortSignal, ms: number): Promise<void> {
  await wait(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Who has ended meanwhile needs no signal. */
function signalAll(pids: readonly number[], signal: "SIGSTOP" | "SIGCONT"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

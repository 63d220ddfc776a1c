/** Waits for a child process, and stops it and its whole group when it must not go on. */

import type { ChildProcess } from "node:child_process";
import { nowMs } from "../clock/system-clock.ts";
import { watchMemory } from "./memory-watch.ts";
import { guardGroup } from "./orphan-guard.ts";

export interface SupervisedEnd {
  exitCode: number | null;
  timedOut: boolean;
  interrupted: boolean;
  /** It took more memory than it may have, and was killed. */
  outgrown: boolean;
  durationMs: number;
}

export interface SuperviseOptions {
  timeLimitMs: number;
  signal: AbortSignal;
  /** Waits after SIGINT and after SIGTERM; see STOP_WAITS_MS. */
  stopWaitsMs?: StopWaits;
  /** Resident bytes of the child; more than that kills it. Without limit where it is left out. */
  memoryBytesMax?: number;
}

export interface StopWaits {
  afterInterrupt: number;
  afterTerminate: number;
}

/**
 * Ours: k6 needs a moment to end its iteration and to write its summary; one that spins on a syntax
 * it can't parse hears neither SIGINT nor SIGTERM and has to be killed.
 */
const STOP_WAITS_MS: StopWaits = { afterInterrupt: 5_000, afterTerminate: 2_000 };

/** Groups to kill when this process itself ends before its children. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) signalGroup(child, "SIGKILL");
});

/** Resolves when the child has ended and its pipes are closed; rejects when it did not start. */
export function supervise(child: ChildProcess, options: SuperviseOptions): Promise<SupervisedEnd> {
  const startedMs = nowMs();
  const end = { timedOut: false, interrupted: false, outgrown: false };
  const escalation = new Escalation(child, options.stopWaitsMs ?? STOP_WAITS_MS);
  running.add(child);
  const endWatch = watched(child, options, () => {
    end.outgrown = true;
    escalation.kill();
  });
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      end.interrupted = true;
      escalation.start();
    };
    const limit = setTimeout(() => {
      end.timedOut = true;
      escalation.start();
    }, options.timeLimitMs);
    const settle = () => {
      clearTimeout(limit);
      endWatch();
      escalation.end();
      options.signal.removeEventListener("abort", onAbort);
      running.delete(child);
    };
    if (options.signal.aborted) onAbort();
    else options.signal.addEventListener("abort", onAbort, { once: true });
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (exitCode) => {
      settle();
      resolve({ ...end, exitCode, durationMs: Math.round(nowMs() - startedMs) });
    });
  });
}

/** Looks after the child while it runs; nothing where it did not start. */
function watched(
  { pid }: ChildProcess,
  { memoryBytesMax }: SuperviseOptions,
  onOutgrown: () => void,
): () => void {
  if (pid === undefined) return () => {};
  const dismiss = guardGroup(pid);
  const unwatch =
    memoryBytesMax === undefined ? () => {} : watchMemory(pid, memoryBytesMax, onOutgrown);
  return () => {
    unwatch();
    dismiss();
  };
}

/** SIGINT, then SIGTERM, then SIGKILL to the whole group. */
class Escalation {
  readonly #child: ChildProcess;
  readonly #waits: StopWaits;
  #timer: NodeJS.Timeout | null = null;
  #started = false;

  constructor(child: ChildProcess, waits: StopWaits) {
    this.#child = child;
    this.#waits = waits;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    signalGroup(this.#child, "SIGINT");
    this.#timer = setTimeout(() => {
      signalGroup(this.#child, "SIGTERM");
      this.#timer = setTimeout(() => {
        signalGroup(this.#child, "SIGKILL");
      }, this.#waits.afterTerminate);
    }, this.#waits.afterInterrupt);
  }

  /** At once, as for a child that must not get a moment more. */
  kill(): void {
    this.#started = true;
    signalGroup(this.#child, "SIGKILL");
  }

  /** What the child started and left behind goes with it. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#started) signalGroup(this.#child, "SIGKILL");
  }
}

/** Signals the group that the child leads; falls back to the child where there are no groups. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/** Machines that start when their worker is wanted, and stop some time after. Spec §3.1. */

/** Ours: of stated seconds; far more than a poll's interval, far less than what waits for a job. */
const START_MS = 2_000;
/** Ours: steps of a run are further apart, so that a run meets several cold starts. */
const KEPT_MS = 20_000;

export class Machines {
  private readonly timeScale: number;
  private readonly kept = new Map<string, { readyAtMs: number; untilMs: number }>();

  constructor(timeScale: number) {
    this.timeScale = timeScale;
  }

  /** Milliseconds until the worker can run a job. */
  readyInMs(workerId: string, nowMs: number): number {
    const known = this.kept.get(workerId);
    const isKept = known !== undefined && nowMs < known.untilMs;
    const readyAtMs = isKept ? known.readyAtMs : nowMs + START_MS * this.timeScale;
    const untilMs = Math.max(nowMs, readyAtMs) + KEPT_MS * this.timeScale;
    this.kept.set(workerId, { readyAtMs, untilMs });
    return Math.max(0, readyAtMs - nowMs);
  }
}

/** One block: an even load of jobs on one side for some seconds, and the figures that it leaves. */

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { beats } from "../../clock/beats.ts";
import { createSystemClock } from "../../clock/system-clock.ts";
import { lagRecord } from "../../contract/time/lag.ts";
import type { Client } from "../../http/client.ts";
import { quantileOf } from "../statistics/moments.ts";
import type { EndsBy, JobRun } from "./job-run.ts";
import { runJob } from "./job-run.ts";
import type { Figures, MetricName } from "./metrics.ts";
import { METRICS } from "./metrics.ts";
import type { Block } from "./round.ts";
import type { Subject } from "./side.ts";

/** A side with its open connections and what was learnt of its jobs. */
export interface OpenSide {
  subject: Subject;
  client: Client;
  /** Resolves when one more read may be sent. */
  turn: (signal: AbortSignal) => Promise<void>;
}

export interface BlockOptions {
  side: OpenSide;
  jobsPerSecond: number;
  seconds: number;
  /** Lives of the jobs of both sides so far, in ms by polls; the latest are kept. */
  lives: number[];
  endsBy: EndsBy;
  signal: AbortSignal;
}

export interface BlockRun {
  block: Block;
  jobs: number;
  credits: number;
  usd: number;
  /** How late the generator itself was, in ms. */
  lagMs: number;
  /** Who told the ends of all jobs that completed. */
  endsTold: EndsBy;
  /** Longest wait that a 429 asked for; null without any. */
  heldMs: number | null;
  failures: readonly string[];
}

/** Ours: before any job has ended, and at the least, in ms. */
const FIRST_GUESS_MS = 100;
const LIVES_KEPT = 500;
/** Ours: jobs that are still running after so many times their usual life and that long fail. */
const PATIENCE = { factor: 20, atLeastMs: 20_000 };
const LAG_SHARE = 0.95;
const BEAT_MS = 10;

export async function runBlock(options: BlockOptions): Promise<BlockRun> {
  const { side, seconds, lives, signal } = options;
  const usualMs = () => (lives.length === 0 ? FIRST_GUESS_MS : quantileOf(lives, 0.5));
  const patienceMs = Math.max(PATIENCE.atLeastMs, PATIENCE.factor * usualMs());
  const loop = lagRecord();
  const endBeats = beats(createSystemClock(), BEAT_MS, loop.note);
  const startMs = performance.now();
  const untilMs = startMs + seconds * 1_000 + patienceMs;
  const count = Math.max(1, Math.round(options.jobsPerSecond * seconds));
  const lags: number[] = [];
  const runs = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const dueMs = startMs + (at * seconds * 1_000) / count;
      await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal });
      lags.push(performance.now() - dueMs);
      const run = await runJob({ ...side, usualLifeMs: usualMs, untilMs, signal });
      if (run.life !== null) lives.push(run.life.byPolls);
      return run;
    }),
  ).finally(endBeats);
  lives.splice(0, Math.max(0, lives.length - LIVES_KEPT));
  const tookSeconds = (performance.now() - startMs) / 1_000;
  const lagMs = Math.max(quantileOf(lags, LAG_SHARE), loop.quantile(LAG_SHARE));
  const block = blockOf(options, runs, tookSeconds);
  return { block, ...summed(runs), jobs: count, lagMs };
}

function blockOf(options: BlockOptions, runs: readonly JobRun[], tookSeconds: number): Block {
  return {
    side: options.side.subject.name,
    figures: figuresOf(runs, options.endsBy, tookSeconds),
    attempts: runs.length,
    failures: runs.filter(({ failure }) => failure !== null).length,
  };
}

function summed(runs: readonly JobRun[]) {
  const holds = runs.map(({ heldMs }) => heldMs).filter((each) => each !== null);
  const lives = runs.map(({ life }) => life).filter((each) => each !== null);
  const areStated = lives.length > 0 && lives.every(({ byService }) => byService !== null);
  const endsTold: EndsBy = areStated ? "byService" : "byPolls";
  return {
    endsTold,
    credits: runs.reduce((sum, { credits }) => sum + credits, 0),
    usd: runs.reduce((sum, { usd }) => sum + usd, 0),
    heldMs: holds.length === 0 ? null : Math.max(...holds),
    failures: [...new Set(runs.map(({ failure }) => failure).filter((each) => each !== null))],
  };
}

const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

function figuresOf(runs: readonly JobRun[], endsBy: EndsBy, tookSeconds: number): Figures {
  const completed = runs.map(({ life }) => life).filter((each) => each !== null);
  const lives = completed.map((life) => life[endsBy]).filter((each) => each !== null);
  const times = runs
    .flatMap(({ submitMs, readMs }) => [submitMs, readMs])
    .filter((each) => each !== null);
  const failed = runs.filter(({ failure }) => failure !== null).length;
  const figure = (name: MetricName, samplesMin: number): number | null => {
    if (name === "throughput") return completed.length / tookSeconds;
    if (name === "errors") return failed / runs.length;
    const [group, percentile] = name.split(".");
    const samples = group === "job" ? lives : times;
    if (samples.length < samplesMin) return null;
    return quantileOf(samples, QUANTILES[percentile as keyof typeof QUANTILES]);
  };
  const figures = METRICS.map(({ name, samplesMin }) => [name, figure(name, samplesMin)] as const);
  return Object.fromEntries(figures) as Figures;
}

/** A gate or a probe on a healthy service, each a process of its own, under pressure. */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Variant } from "../../contract/states.ts";
import { reportSchema } from "../../report/model.ts";
import { SOURCES } from "../cli/main-file.ts";
import { freePort } from "../http/free-port.ts";
import { startAnnounced, stopService } from "../soak/service.ts";
import type { PressureOptions } from "./options.ts";
import { openPaths } from "./paths.ts";
import type { PathFigures } from "./paths-process.ts";
import { stallNowAndThen } from "./stalls.ts";
import { secretsFor, targetFor } from "./target.ts";

/** Ours: of one path, each way. */
const LOSS = 0.05;
/** Ours: the suite and what starves it stand back behind the service, which stays healthy. */
export const NICENESS = 5;
/**
 * Ours: service and paths come before all else on the machine, where the system lets them (root):
 * a service that is starved itself is late in truth, and rightly called broken.
 */
const FIRST_NICENESS = -15;
/** Ours: several times what a starved gate takes; one that hangs must end. */
const GATE_LIMIT_MS = 12 * 60_000;
/** Ours: a stop that was asked for takes no longer on a starved machine. */
const STOP_LIMIT_MS = 60_000;

export interface Task {
  kind: "gate" | "probe";
  variant: Variant;
  seed: number;
}

export interface Row extends Task {
  /** null: killed, as it did not end in its time. */
  exitCode: number | null;
  /** Promises broken, or violations and bad outcomes of a probe, with what was said of them. */
  broken: readonly string[];
  /** Verdicts of a gate, or outcomes of a probe's canaries, by number. */
  counts: Readonly<Record<string, number>>;
  inconclusive: readonly string[];
  seconds: number;
  stalls: number;
  paths: PathFigures;
}

type Seen = Pick<Row, "broken" | "counts" | "inconclusive">;

/** Ends early when the signal comes; the row tells what there was until then. */
export async function runUnderPressure(
  task: Task,
  options: PressureOptions,
  signal: AbortSignal,
): Promise<Row> {
  const folder = path.resolve(options.out, `${task.kind}-${task.variant}-${task.seed}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const scale = task.kind === "gate" ? options.timeScale : 1;
  const more = ["--seed", String(task.seed)];
  const service = await startAnnounced(String(scale), task.variant.toLowerCase(), more);
  const receiverPort = await freePort();
  const servicePort = Number(new URL(service.baseUrl).port);
  const paths = await openPaths([
    { port: servicePort, loss: LOSS, seed: task.seed },
    { port: receiverPort, loss: LOSS, seed: ~task.seed },
  ]);
  for (const { pid } of [service.process, paths]) comeFirst(pid);
  const [baseUrl = "", publicUrl = ""] = paths.urls;
  try {
    const ways = { baseUrl, receiverPort, publicUrl };
    await writeFile(path.join(folder, "plumbline.yaml"), targetFor(service, ways));
    const startedMs = performance.now();
    const way = task.kind === "gate" ? judgeOnce : watch;
    const ran = await way({ task, options, folder, env: secretsFor(service), signal });
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    return { ...task, ...ran, seconds, paths: await paths.figures() };
  } finally {
    await Promise.all([stopService(service), paths.close()]);
  }
}

function comeFirst(pid = 0): void {
  try {
    os.setPriority(pid, FIRST_NICENESS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
  }
}

interface Place {
  task: Task;
  options: PressureOptions;
  folder: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

type Ran = Seen & Pick<Row, "exitCode" | "stalls">;

/** A command of the suite whose processes stall until `over` resolves; then it is asked to stop. */
async function runStalled(
  { task, folder, env }: Place,
  args: readonly string[],
  over: Promise<unknown>,
): Promise<Pick<Ran, "exitCode" | "stalls">> {
  const argv = ["-n", String(NICENESS), process.execPath, SOURCES, ...args];
  const child = spawn("nice", argv, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
    // A group of its own: Ctrl-C reaches it by this process, which lets it run on first.
    detached: true,
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const logged = pipeline(child.stderr, createWriteStream(path.join(folder, "stderr.log")));
  const stalling = stallNowAndThen(child.pid ?? 0, task.seed);
  await Promise.race([exited, over]);
  await stalling.end();
  if (child.exitCode === null) child.kill("SIGTERM");
  const [exitCode] = await Promise.race([exited, killLate(child, exited)]);
  await logged;
  return { exitCode, stalls: stalling.count() };
}

/** Ends the whole group that did not stop in time; of one that did, the id may be another's now. */
async function killLate(child: ChildProcess, exited: Promise<[number | null]>) {
  await wait(STOP_LIMIT_MS, undefined, { ref: false });
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (isRunning && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  return await exited;
}

/** When the time is over or the signal comes, whichever is first. */
const overAfter = (ms: number, signal: AbortSignal) =>
  wait(ms, undefined, { signal, ref: false }).catch(() => undefined);

async function judgeOnce(place: Place): Promise<Ran> {
  const { folder, options, task, signal } = place;
  const report = path.join(folder, "report");
  const only = options.only === null ? [] : ["--only", options.only];
  const args = ["gate", "--target", path.join(folder, "plumbline.yaml"), "--profile", "quick"];
  const more = ["--seed", String(task.seed), "--report", report, ...only];
  const ran = await runStalled(place, [...args, ...more], overAfter(GATE_LIMIT_MS, signal));
  return { ...ran, ...(await judged(report)) };
}

async function judged(folder: string): Promise<Seen> {
  const text = await readFile(path.join(folder, "report.json"), "utf8").catch(() => null);
  if (text === null) return { broken: [], counts: {}, inconclusive: [] };
  const { promises, counts } = reportSchema.parse(JSON.parse(text));
  const of = (verdict: string) => promises.filter((each) => each.verdict === verdict);
  return {
    broken: of("broken").map(({ id, summary }) => `${id}: ${summary}`),
    counts,
    inconclusive: of("inconclusive").map(({ id, reason }) => `${id}: ${reason}`),
  };
}

/** What the probe shows is read just before it is asked to stop. */
async function watch(place: Place): Promise<Ran> {
  const { folder, options, signal } = place;
  const listen = `127.0.0.1:${await freePort()}`;
  const file = ["--target", path.join(folder, "plumbline.yaml")];
  const args = ["probe", ...file, "--state", path.join(folder, "state"), "--listen", listen];
  let seen: Seen = { broken: ["the probe told nothing"], counts: {}, inconclusive: [] };
  const over = overAfter(options.probeMinutes * 60_000, signal).then(async () => {
    const [metrics, page] = await Promise.all(
      ["metrics", "api/canaries"].map(async (at) => (await fetch(`http://${listen}/${at}`)).text()),
    );
    await writeFile(path.join(folder, "metrics.txt"), metrics ?? "");
    await writeFile(path.join(folder, "canaries.json"), page ?? "");
    seen = toldBy(metrics ?? "");
  });
  const ran = await runStalled(
    place,
    args,
    over.catch(() => undefined),
  );
  return { ...ran, ...seen };
}

/** Ends of runs that blame nobody, or the suite's own machine. */
const NOBODYS_FAULT = new Set(["success", "probe_error", "ambiguous_submission"]);

/** What a probe's metrics say of the service, and of itself. */
export function toldBy(metrics: string): Seen {
  const counts: Record<string, number> = {};
  for (const [, outcome = "", count] of metrics.matchAll(RUNS)) {
    if (count !== "0") counts[outcome] = (counts[outcome] ?? 0) + Number(count);
  }
  const violations = [...metrics.matchAll(VIOLATIONS)].filter(([, , count]) => count !== "0");
  const bad = Object.entries(counts).filter(([outcome]) => !NOBODYS_FAULT.has(outcome));
  const told = Object.keys(counts).length === 0 ? ["the probe ran no canary"] : [];
  return {
    broken: [
      ...told,
      ...violations.map(([, promise, count]) => `${promise}: ${count} violations`),
      ...bad.map(([outcome, count]) => `outcome ${outcome}: ${count} runs`),
    ],
    counts,
    inconclusive: Object.keys(counts).filter((outcome) => outcome === "probe_error"),
  };
}

const RUNS = /^plumbline_canary_runs_total\{.*?outcome="([^"]+)".*\} (\d+)/gm;
const VIOLATIONS = /^plumbline_promise_violations_total\{.*?promise="([^"]+)".*\} (\d+)/gm;

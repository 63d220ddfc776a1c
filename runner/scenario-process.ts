/** Runs the process of one scenario under a time limit, and brings home the evidence it leaves. */

import { spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import { redactor } from "../contract/text/redact.ts";
import type { Secret, Secrets } from "../contract/text/secret.ts";
import { ofFile } from "../contract/text/thrown.ts";
import { EvidenceReader } from "./evidence-reader.ts";
import { FileTail } from "./file-tail.ts";
import { scenarioMemoryMax } from "./memory-watch.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { keepOutputs } from "./scenario-outputs.ts";
import type { StopWaits, SupervisedEnd } from "./supervise.ts";
import { supervise } from "./supervise.ts";
import { TextTail } from "./text-tail.ts";

export interface ScenarioOptions {
  /** Names the files kept in outputDir. */
  name: string;
  plan: RunPlan;
  /** Values of the plan's keys; they travel in the process's environment only. */
  secrets: Secrets;
  timeLimitMs: number;
  signal: AbortSignal;
  onRecord: (record: EvidenceRecord) => void;
  outputDir: string;
  stopWaitsMs?: StopWaits;
  /** Resident bytes beyond which the process is killed; see `scenarioMemoryMax`. */
  memoryBytesMax?: number;
}

/** What a scenario's process has left; its exit code is null when a signal ended it. */
export interface ScenarioRun extends SupervisedEnd {
  records: readonly EvidenceRecord[];
  /** Evidence lines that could not be kept: malformed, over-long or beyond the bound. */
  dropped: number;
  /** The end of what it wrote to stderr, without secrets. */
  stderrTail: string;
}

/** Files of one run, in a folder that nobody else can read: they may hold what must not be kept. */
export interface PrivateFiles {
  plan: string;
  console: string;
  summary: string;
}

/** How the process is started, once its files are there. */
interface Invocation {
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Its standard output is the console, which the process does not write itself. */
  writesToStdout?: true;
}

/** Ours: live progress that lags by less than a person notices. */
const TAIL_INTERVAL_MS = 100;

/**
 * Never rejects for what the process does; rejects when files can't be written or it can't be
 * started. `hidden` are secrets beside those of the plan.
 */
export async function runProcess(
  options: ScenarioOptions,
  invocationOf: (files: PrivateFiles) => Invocation,
  hidden: readonly Secret[] = [],
): Promise<ScenarioRun> {
  const folder = await makePrivateFolder();
  try {
    const files = await preparePrivateFiles(folder, options.plan);
    return await runWith(options, files, invocationOf(files), hidden);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runWith(
  options: ScenarioOptions,
  files: PrivateFiles,
  invocation: Invocation,
  hidden: readonly Secret[],
): Promise<ScenarioRun> {
  const redact = redactor([...options.secrets.values(), ...hidden]);
  const evidence = new EvidenceReader(redact, options.onRecord);
  const tail = new FileTail(files.console, (line) => evidence.readLine(line));
  const [stdout, stderr] = [new TextTail(), new TextTail()];
  const console = invocation.writesToStdout ? await open(files.console, "a", 0o600) : null;
  const child = spawnWith(invocation, console);
  // Without a descriptor for them there are none; the child's error then tells of it.
  child.stdout?.setEncoding("utf8").on("data", (text: string) => stdout.add(text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => stderr.add(text));
  const timer = setInterval(() => void tail.poll(), TAIL_INTERVAL_MS);
  const bounded = { ...options, memoryBytesMax: options.memoryBytesMax ?? scenarioMemoryMax() };
  const end = await supervise(child, bounded).finally(() => {
    clearInterval(timer);
    return console?.close();
  });
  await tail.finish();
  await mkdir(options.outputDir, { recursive: true });
  const texts = { log: stderr.text, summary: stdout.text };
  await keepOutputs(options.outputDir, options.name, files, texts, redact);
  const { records, dropped } = evidence;
  return { ...end, records, dropped, stderrTail: redact(stderr.end) };
}

function spawnWith({ program, args, env }: Invocation, console: FileHandle | null) {
  return spawn(program, args, {
    env,
    detached: true,
    stdio: ["ignore", console?.fd ?? "pipe", "pipe"],
  });
}

async function preparePrivateFiles(folder: string, plan: RunPlan): Promise<PrivateFiles> {
  const files = {
    plan: path.join(folder, "plan.json"),
    console: path.join(folder, "console.log"),
    summary: path.join(folder, "summary.json"),
  };
  await writeFile(files.plan, JSON.stringify(plan), { mode: 0o600 }).catch(ofFile(files.plan));
  return files;
}

/** The caller's environment without k6 settings of its own, which would change what is measured. */
export function callersEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith("K6_")) env[name] = value;
  }
  return env;
}

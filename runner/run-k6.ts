/** Runs one k6 scenario under a time limit and brings home the evidence it leaves. */

import { spawn } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { EvidenceRecord } from "../contract/evidence.ts";
import { redactor } from "../contract/redact.ts";
import type { RunPlan } from "../contract/run-plan.ts";
import { revealed, type Secrets } from "../contract/secret.ts";
import { ofFile } from "../contract/thrown.ts";
import { EvidenceReader } from "./evidence-reader.ts";
import { FileTail } from "./file-tail.ts";
import { keepOutputs } from "./k6-outputs.ts";
import { k6MemoryMax } from "./memory-watch.ts";
import { makePrivateFolder } from "./private-folder.ts";
import type { RemoteWrite, SeriesLabels } from "./remote-write.ts";
import {
  remoteWriteArguments,
  remoteWriteEnvironment,
  remoteWriteSecrets,
} from "./remote-write.ts";
import type { StopWaits } from "./supervise.ts";
import { supervise } from "./supervise.ts";
import { TextTail } from "./text-tail.ts";

export interface RunK6Options {
  k6Path: string;
  /** Names the files kept in outputDir. */
  name: string;
  /** Absolute path of the scenario. */
  script: string;
  plan: RunPlan;
  /** Values of the plan's keys; they travel in k6's environment only. */
  secrets: Secrets;
  timeLimitMs: number;
  signal: AbortSignal;
  onRecord: (record: EvidenceRecord) => void;
  outputDir: string;
  stopWaitsMs?: StopWaits;
  /** Resident bytes beyond which k6 is killed; see `k6MemoryMax`. */
  memoryBytesMax?: number;
  /** Where k6's metrics are sent as well. */
  remoteWrite?: RemoteWrite | null;
  /** Labels of these metrics; the name as their scenario where nothing else is said. */
  seriesLabels?: SeriesLabels;
}

export interface K6Run {
  /** null when k6 was ended by a signal. */
  exitCode: number | null;
  timedOut: boolean;
  interrupted: boolean;
  /** It took more memory than it may have, and was killed. */
  outgrown: boolean;
  records: readonly EvidenceRecord[];
  /** Evidence lines that could not be kept: malformed, over-long or beyond the bound. */
  dropped: number;
  /** The end of what k6 wrote to stderr, without secrets. */
  stderrTail: string;
  durationMs: number;
}

/**
 * Ours: with Go's default a third of k6's processor time under load goes into collecting garbage;
 * the heap may grow to four times what is in use instead of twice, up to a bound.
 */
export const GO_MEMORY = { GOGC: "300", GOMEMLIMIT: "1GiB" } as const;

/** k6's settings that keep it to itself: no extension downloads, no usage report. */
export const K6_ENVIRONMENT = {
  K6_AUTO_EXTENSION_RESOLUTION: "false",
  K6_NO_USAGE_REPORT: "true",
} as const;

/**
 * k6 keeps each value of its metrics in memory for thresholds and summary: hundreds of megabytes a
 * day at 50 jobs a second. A soak goes without; its evidence is on the console.
 */
export const WITHOUT_METRICS = ["--no-thresholds", "--summary-mode=disabled"];

/** Ours: live progress that lags by less than a person notices. */
const TAIL_INTERVAL_MS = 100;

/** Files of one run, in a folder that nobody else can read: they may hold what must not be kept. */
interface PrivateFiles {
  folder: string;
  plan: string;
  console: string;
  summary: string;
}

/** Never rejects for what k6 does; rejects when files can't be written or k6 can't be started. */
export async function runK6(options: RunK6Options): Promise<K6Run> {
  const files = await preparePrivateFiles(options.plan);
  try {
    return await runWith(options, files);
  } finally {
    await rm(files.folder, { recursive: true, force: true });
  }
}

async function runWith(options: RunK6Options, files: PrivateFiles): Promise<K6Run> {
  const hidden = [...options.secrets.values(), ...remoteWriteSecrets(process.env)];
  const redact = redactor(hidden);
  const evidence = new EvidenceReader(redact, options.onRecord);
  const tail = new FileTail(files.console, (line) => evidence.readLine(line));
  const stderr = new TextTail();
  const child = spawn(options.k6Path, k6Arguments(options, files), {
    env: k6Environment(options, files.plan),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stdout = new TextTail();
  // Without a descriptor for them there are none; the child's error then tells of it.
  child.stdout?.setEncoding("utf8").on("data", (text: string) => stdout.add(text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => stderr.add(text));
  const timer = setInterval(() => void tail.poll(), TAIL_INTERVAL_MS);
  const bounded = { ...options, memoryBytesMax: options.memoryBytesMax ?? k6MemoryMax() };
  const end = await supervise(child, bounded).finally(() => clearInterval(timer));
  await tail.finish();
  await mkdir(options.outputDir, { recursive: true });
  const texts = { log: stderr.text, summary: stdout.text };
  await keepOutputs(options.outputDir, options.name, files, texts, redact);
  const { records, dropped } = evidence;
  return { ...end, records, dropped, stderrTail: redact(stderr.end) };
}

async function preparePrivateFiles(plan: RunPlan): Promise<PrivateFiles> {
  const folder = await makePrivateFolder();
  const files = {
    folder,
    plan: path.join(folder, "plan.json"),
    console: path.join(folder, "console.log"),
    summary: path.join(folder, "summary.json"),
  };
  await writeFile(files.plan, JSON.stringify(plan), { mode: 0o600 }).catch(ofFile(files.plan));
  return files;
}

function k6Arguments(options: RunK6Options, files: PrivateFiles): string[] {
  const { name, plan, remoteWrite, script, seriesLabels = { scenario: name } } = options;
  const isSoak = plan.profile === "soak";
  return [
    "run",
    "--quiet",
    "--no-color",
    "--log-format=raw",
    `--console-output=${files.console}`,
    ...(isSoak ? WITHOUT_METRICS : [`--summary-export=${files.summary}`]),
    ...(remoteWrite ? remoteWriteArguments(remoteWrite, seriesLabels) : []),
    script,
  ];
}

/** The caller's environment without k6 settings of its own, which would change what is measured. */
function k6Environment(
  { secrets, remoteWrite }: RunK6Options,
  planPath: string,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith("K6_")) env[name] = value;
  }
  return {
    ...GO_MEMORY,
    ...env,
    ...(remoteWrite ? remoteWriteEnvironment(remoteWrite, process.env) : {}),
    ...revealed(secrets),
    ...K6_ENVIRONMENT,
    PLUMBLINE_PLAN: planPath,
  };
}

/**
 * Every command that a document or a help text shows is run, as it stands there, in a folder that
 * has the files it names: on a service of the test's own, and up to the moment at which it would
 * begin to load the service.
 */

import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { MACHINE_GROUP } from "../../capacity/baseline/run-of.ts";
import { thisMachine } from "../../capacity/machine.ts";
import type { Context } from "../../cli/context.ts";
import { presentError } from "../../cli/present-error.ts";
import { runProgram } from "../../cli/program.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { startReference } from "../../reference/service.ts";
import { buildReport } from "../../report/build-report.ts";
import { ROOT } from "../../runner/package-root.ts";
import { RATE_KEYS } from "../kill-matrix/real/keys.ts";
import { judgeSimulated } from "../kill-matrix/simulated.ts";
import { TELLING_LOAD_MS } from "../simulation/load-lasting.ts";
import { calls, DOCUMENTS, texts } from "./documents.ts";

/** Placeholders of documents, as somebody fills them in. */
const FILLED: readonly (readonly [RegExp, string])[] = [
  [/\bFILE\b/g, "plumbline-report/report.json"],
  [/\bDIR\b/g, "plumbline-report"],
  [/\bNAME\b/g, "attic"],
  [/\bID\b/g, "rate.burst"],
  [/ >.*$| \.\.\.$|&& .*$/g, ""],
  // Nothing else than where it listens: other tests listen as well.
  [/(--(?:query-)?listen) ([\w.]+):\d+/g, "$1 $2:0"],
  [/--port \d+/g, "--port 0"],
];

/** What shows that options, target file and service were in order, and that the work begins. */
const BEGUN: Readonly<Record<string, RegExp>> = {
  gate: /this run will submit/,
  capacity: /^at most /m,
  compare: /^(?:comparing|recording) /m,
  probe: /stop: Ctrl-C/,
  reference: /stop: Ctrl-C|"baseUrl"/,
  sink: /stop: Ctrl-C|"queryUrl"/,
  merge: /^waiting for /m,
};

/** A judgement may be any; interrupted is what this test does. */
const WELL = [0, 99, 105, 111];

let folder = "";
let service: ReferenceService;
let environment: Record<string, string> = {};
let sink = "";
const stopSink = new AbortController();
let sinkStopped: Promise<unknown> = Promise.resolve();
const home = process.cwd();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plumbline-documents-"));
  service = await startReference({ timeScale: 0.02 });
  await prepare();
  process.chdir(folder);
});

afterAll(async () => {
  stopSink.abort();
  await sinkStopped;
  process.chdir(home);
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** The files that documents speak of: target files, a report, boards. */
async function prepare(): Promise<void> {
  const value = (name: string) => service.keys.find((key) => key.name === name)?.value ?? "";
  environment = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    PLUMBLINE_CACHE: process.env.PLUMBLINE_CACHE ?? "",
    PLUMBLINE_KEY_FREE: value("free-a"),
    PLUMBLINE_KEY_PRO: value("pro-a"),
    PLUMBLINE_KEY_BIG: value("big"),
    PLUMBLINE_KEY_OLD: value("free-b"),
    PLUMBLINE_SINK_SECRET: "a-secret-of-the-documents-0123456789",
  };
  const target = `target: { baseUrl: "${service.baseUrl}", timeScale: 0.02 }
keys:
  - { name: free, plan: free, account: one, env: PLUMBLINE_KEY_FREE }
  - { name: pro, plan: pro, account: two, env: PLUMBLINE_KEY_PRO }
workers:
  success: { id: echo, input: { text: hi }, marker: text }
  timeout: { id: sleep-short, input: { seconds: 60 } }
webhook: {}
load: { jobsPerSecond: 2, duration: 10s }
budget: { jobs: 500 }
`;
  const names = "plumbline target reference stable canary service current next".split(" ");
  for (const name of names) await writeFile(path.join(folder, `${name}.yaml`), target);
}

/** A sink that `plan --receiver` can ask, until the end of the tests. */
async function startSink(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  sinkStopped = run(["sink", "--json"], undefined, stopSink, (said) => {
    const [, url] = /"queryUrl": "([^"]+)"/.exec(said) ?? [];
    if (url !== undefined) resolve(url);
  });
  sink = await promise;
}

/** A whole run that passed, with a load, as baselines want it. */
async function passedReport(): Promise<string> {
  const lesser = { keys: RATE_KEYS, loadMs: TELLING_LOAD_MS };
  const result = await judgeSimulated({ variant: "B", only: null, ...lesser });
  const measurements = { ...result.measurements, [MACHINE_GROUP]: [{ ...thisMachine() }] };
  return JSON.stringify(buildReport({ ...result, measurements }));
}

/** With more recent runs than accepted ones, so that the recent ones may replace them. */
async function keptBaseline(): Promise<string> {
  const text = await readFile(path.join(ROOT, "test/cli/own-baseline.json"), "utf8");
  const baseline = JSON.parse(text) as { accepted: object[] };
  return JSON.stringify({ ...baseline, accepted: baseline.accepted.slice(0, 5) });
}

/** Files that earlier commands of the documents have left. */
async function prepareResults(): Promise<void> {
  await startSink();
  const short = ["--blocks", "32", "--block", "200ms", "--rate", "10"];
  const base = ["compare", "--base", "stable.yaml"];
  const made = await Promise.all([
    run(["gate", "--only", "auth.header-case", "--fault", "auth.header-case/upper-case-refused"]),
    run([...base, ...short, "--record", "recorded.json"]),
    run([...base, ...short, "--calibrate", "--report", "calibration"]),
    run(["dashboards", "build", "plumbline-dashboards"]),
    run(["dashboards", "build", "boards"]),
  ]);
  for (const { said } of made) expect(said).not.toMatch(/^error /m);
  await writeFile("plumbline-report/report.json", await passedReport());
  await writeFile("plumbline-baseline.json", await keptBaseline());
  await prepareLoad("evidence/plumbline-load-1");
  const recordedAt = await recording();
  for (const name of ["before", "after"]) {
    await mkdir(path.join(folder, name), { recursive: true });
    await copyFile("plumbline-report/report.json", `${name}/report.json`);
    for (const n of [1, 2, 3, 4, 5]) await writeFile(`${name}-${n}.json`, recordedAt(name, n));
  }
}

/** What the pods of a load leave before they begin. */
async function prepareLoad(place: string): Promise<void> {
  const { said } = await run(["k8s", "testrun", "--target", "plumbline.yaml", "--image", "here"]);
  const archive = parseAllDocuments(said)
    .map((each) => each.toJS() as { kind: string; data?: Record<string, string> })
    .find(({ kind }) => kind === "ConfigMap");
  await mkdir(path.join(folder, place), { recursive: true });
  await writeFile(path.join(place, "load.json"), archive?.data?.["load.json"] ?? "");
}

/** The recording as if it had been made at another time. */
async function recording(): Promise<(name: string, n: number) => string> {
  const saved = JSON.parse(await readFile("recorded.json", "utf8")) as Record<string, unknown>;
  return (name, n) => {
    const startedAt = new Date(Date.UTC(2026, name === "before" ? 0 : 1, n)).toISOString();
    return JSON.stringify({ ...saved, startedAt });
  };
}

interface Ran {
  exitCode: number;
  said: string;
}

/** Ours: none of them takes that long before it begins, on a busy machine either. */
const LIMIT_MS = 300_000;

/** In this process, which saves a second each; it is interrupted where `until` is said. */
async function run(
  args: readonly string[],
  until?: RegExp,
  interruption = new AbortController(),
  onSaid: (said: string) => void = () => {},
): Promise<Ran> {
  let said = "";
  const take = (text: string) => {
    said += text;
    onSaid(said);
    if (until?.test(said) === true) interruption.abort();
  };
  const style = { color: false, width: 100, live: false, whole: true };
  const context: Context = {
    environment,
    output: { result: take, say: take, talk: style, results: style, hide: () => {} },
    ask: null,
    signal: interruption.signal,
    onHangUp: () => () => {},
  };
  const limit = setTimeout(() => {
    if (interruption === stopSink) return;
    said += "error (never-begun): interrupted by the test\n";
    interruption.abort();
  }, LIMIT_MS);
  const exitCode = await runProgram(args, context).catch((error: unknown) => {
    return presentError(error, context);
  });
  clearTimeout(limit);
  return { exitCode, said };
}

/** As a shell parts and expands each; one shell for all, as a start of one costs this process. */
async function wordsOf(all: readonly string[]): Promise<readonly (readonly string[])[]> {
  const filled = all.map((text) =>
    FILLED.reduce((each, [from, to]) => each.replace(from, to), text)
      .replace(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:8080/g, service.baseUrl)
      .replace(/http:\/\/127\.0\.0\.1:9402/g, sink)
      .trim(),
  );
  const script = filled.map((each) => `printf '%s\\n' ${each}; echo`).join("\n");
  const { stdout } = await promisify(execFile)("sh", ["-ec", script]);
  return stdout
    .trim()
    .split("\n\n")
    .map((words) => words.split("\n"));
}

/** Lines of "Examples:" in the help of a command, and of those below it. */
async function helpExamples(command: string): Promise<readonly string[]> {
  const words = command.split(" ").filter((word) => word !== "");
  const { said } = await run([...words, "--help"]);
  if (command !== "") expect(said, command).toMatch(/^Examples:$/m);
  const joined = said.replace(/ \\\n +/g, " ");
  const own = [...joined.matchAll(/^ {2}plumbline (.+)$/gm)].map(([, text = ""]) => text);
  const [, list = ""] = /^Commands:\n((?: {2}.*\n)*)/m.exec(said) ?? [];
  const below = [...list.matchAll(/^ {2}([a-z0-9]+)/gm)].map(([, name = ""]) => name);
  const names = below.filter((name) => name !== "help").map((name) => `${command} ${name}`);
  for (const name of names) own.push(...(await helpExamples(name)));
  return own;
}

/** A folder or file of each command's own, as they run beside each other. */
function apart(words: readonly string[], at: number): readonly string[] {
  const [command = ""] = words;
  if (command === "probe" && !words.includes("--listen")) return [...words, "--listen", FREE];
  const option = OWN[command];
  const isRecording = words.includes("--record");
  if (option === undefined || isRecording) return words;
  const given = words.indexOf(option);
  const others = given < 0 ? words : words.toSpliced(given, 2);
  return [...others, option, `own-${at}`];
}

/** Where nobody else on this machine listens. */
const FREE = "127.0.0.1:0";

const OWN: Readonly<Record<string, string>> = {
  gate: "--report",
  capacity: "--report",
  compare: "--report",
  init: "--out",
  merge: "--report",
};

// The changelog speaks of options, and of those that were; a command alone is no call.
const shown = [
  ...new Set(calls().flatMap(({ document, text }) => (document === "CHANGELOG.md" ? [] : [text]))),
].filter((text) => /\s/.test(text));

/** Ours: 100 s on idle cores; a machine with thirty processes a core needs ten times as long. */
const ALL_COMMANDS_MS = 1_200_000;

/** Ours: all of them, and the service, are in one process; its answers must come within 15 s. */
const SIDE_BY_SIDE = 6;

describe("every command that is shown", { timeout: ALL_COMMANDS_MS }, () => {
  it("is one of many, in documents of all kinds", () => {
    expect(shown.length).toBeGreaterThan(40);
    expect(DOCUMENTS.length).toBeGreaterThan(40);
  });

  it("runs as it stands", async () => {
    const examples = await helpExamples("");
    expect(examples).toContain("baseline record plumbline-report/report.json");
    await prepareResults();
    const wanted = [...new Set([...shown, ...examples])];
    const parted = await wordsOf(wanted);
    expect(parted).toHaveLength(wanted.length);
    const all = wanted.map((text, at) => ({ text, words: apart(parted[at] ?? [], at) }));
    const failed: string[] = [];
    const check = async ({ text, words }: { text: string; words: readonly string[] }) => {
      const { exitCode, said } = await run(words, BEGUN[words[0] ?? ""]);
      if (!WELL.includes(exitCode) || /^error /m.test(said)) {
        failed.push(`plumbline ${text}: ${exitCode}\n${said.slice(-600)}`);
      }
    };
    // Those that wait for most of their time run beside each other. What they record is read first.
    const isWaiting = ({ text }: { text: string }) =>
      /^(?:gate|capacity|compare)\b/.test(text) && !/--before\b/.test(text);
    for (const each of all.filter((one) => !isWaiting(one))) await check(each);
    const waiting = all.filter(isWaiting).values();
    const checkRest = async () => {
      for (const each of waiting) await check(each);
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, checkRest));
    expect(failed).toEqual([]);
  });

  it("names scripts of package.json that are there", async () => {
    const { scripts } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...texts].flatMap(([, text]) =>
      [...text.matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, name = ""]) => name),
    );
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

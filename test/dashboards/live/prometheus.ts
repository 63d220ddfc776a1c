/** A real Prometheus with the rules at the live test's pace, on a history of three days. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import type { RuleOptions } from "../../../dashboards/rules/options.ts";
import { ruleFile } from "../../../dashboards/rules/rule-file.ts";
import { captureOutput } from "../../../runner/capture-output.ts";
import { goTool } from "../../go-tool.ts";
import { historyOf } from "./history.ts";
import { SCRAPE_MS } from "./pace.ts";

export interface ScrapeTarget {
  /** Becomes the label `environment`, by which the alerts of worlds are told apart. */
  environment: string;
  /** host:port */
  address: string;
}

export interface LivePrometheus {
  baseUrl: string;
  /** The member `data` of an answer of its API. */
  get<Data>(pathAndQuery: string): Promise<Data>;
  /** Takes these targets in place of those before. */
  scrape(targets: readonly ScrapeTarget[]): Promise<void>;
  close(): Promise<void>;
}

/** What Prometheus takes as current; five minutes unless told. */
const LOOKBACK_SECONDS = 300;
/** Ours: starting takes a second; on a busy machine it may be many. */
const START_MS = 60_000;
/** Ours: a few hundred thousand samples of history. */
const HISTORY_TIME_MS = 120_000;

export async function startPrometheus(
  folder: string,
  rules: RuleOptions,
  environments: readonly string[],
): Promise<LivePrometheus> {
  const command = await goTool("prometheus");
  const targetsFile = path.join(folder, "targets.json");
  await writeFile(targetsFile, "[]");
  await writeFile(path.join(folder, "rules.yaml"), ruleFile(rules));
  await writeFile(path.join(folder, "prometheus.yaml"), stringify(configOf(rules, targetsFile)));
  await backfill(folder, rules, environments);
  const child = spawn(command, flagsOf(rules), {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  // A test that fails half-way must not leave it behind.
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  const baseUrl = await announced(child);
  const get = async <Data>(pathAndQuery: string) => {
    const response = await fetch(baseUrl + pathAndQuery);
    const answer = (await response.json()) as { status: string; data: Data; error?: string };
    if (answer.status === "success") return answer.data;
    throw new Error(`Prometheus refused ${pathAndQuery}: ${answer.error ?? response.status}`);
  };
  return {
    baseUrl,
    get,
    async scrape(targets) {
      await writeFile(`${targetsFile}.new.json`, JSON.stringify(groupsOf(targets)));
      await rename(`${targetsFile}.new.json`, targetsFile);
    },
    async close() {
      process.off("exit", end);
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

function configOf({ job }: RuleOptions, targetsFile: string) {
  const interval = `${SCRAPE_MS}ms`;
  return {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ["rules.yaml"],
    scrape_configs: [{ job_name: job, file_sd_configs: [{ files: [targetsFile] }] }],
  };
}

function flagsOf({ scale }: RuleOptions): string[] {
  return [
    "--config.file=prometheus.yaml",
    "--storage.tsdb.path=data",
    "--storage.tsdb.retention.time=30d",
    `--query.lookback-delta=${LOOKBACK_SECONDS * scale}s`,
    "--web.listen-address=127.0.0.1:0",
    "--web.enable-remote-write-receiver",
  ];
}

function groupsOf(targets: readonly ScrapeTarget[]) {
  return targets.map(({ environment, address }) => ({
    targets: [address],
    labels: { environment },
  }));
}

/** Reads the log until it tells the address and readiness; the rest is read and dropped. */
async function announced(child: ReturnType<typeof spawn>): Promise<string> {
  const { stderr } = child;
  if (stderr === null) throw new Error("Prometheus has no log; expected a pipe");
  const lines: string[] = [];
  let address = "";
  const told = Promise.withResolvers<string>();
  const timer = setTimeout(() => fail("did not start in time"), START_MS);
  const fail = (what: string) => {
    told.reject(new Error(`Prometheus ${what}: ${lines.slice(-5).join("\n")}`));
  };
  child.once("exit", (code) => fail(`ended with ${code}`));
  child.once("error", (error) => fail(error.message));
  createInterface({ input: stderr }).on("line", (line) => {
    if (lines.length < 200) lines.push(line);
    address ||= /msg="Listening on".* address=([\d.]+:\d+)/.exec(line)?.[1] ?? "";
    if (line.includes("Server is ready to receive web requests")) told.resolve(`http://${address}`);
  });
  return await told.promise.finally(() => clearTimeout(timer));
}

/** Without history an hour's failures would be all that the last three days had. */
async function backfill(folder: string, rules: RuleOptions, environments: readonly string[]) {
  await writeFile(path.join(folder, "history.txt"), historyOf(rules, environments, Date.now()));
  const promtool = await goTool("promtool");
  const args = ["tsdb", "create-blocks-from", "openmetrics", "history.txt", "data"];
  const { exitCode, stdout, stderr } = await captureOutput(promtool, args, {
    cwd: folder,
    env: process.env,
    timeLimitMs: HISTORY_TIME_MS,
  });
  if (exitCode !== 0) throw new Error(`promtool made no history: ${stdout}${stderr}`);
}

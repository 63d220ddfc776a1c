/** A whole gate, with real k6 over real HTTP, of a hostile service: what it says and leaves. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PromiseId } from "../../contract/promises.ts";
import type { Part } from "../../contract/run/run-plan.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { PART_WORKERS } from "../../reference/embedded-target.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { startReference } from "../../reference/service.ts";
import type { Report } from "../../report/model.ts";
import { reportSchema } from "../../report/model.ts";
import type { CliRun } from "../cli/run-cli.ts";
import { runHere } from "../cli/run-here.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { openRewritingFront } from "../fronts/rewriting-front.ts";
import type { HostileService } from "./hostile-services.ts";

const TIME_SCALE = 0.02;

interface Judged {
  run: CliRun;
  report: Report;
  /** What the run has left, by the names of the files. */
  files: ReadonlyMap<string, string>;
  keyValue: string;
}

export interface Row {
  title: string;
  service: HostileService;
  /** What is asked for, and what has to come of it. */
  verdicts: Partial<Record<PromiseId, Verdict>>;
  /** 99 with a promise that is broken, 111 with one in doubt. */
  exitCode: 0 | 99 | 111;
  parts?: readonly Part[];
  /** Name of the one key. */
  key?: string;
  /** Of the target file. */
  sections?: Readonly<Record<string, unknown>>;
  /** What else holds. */
  also?: (judged: Judged) => void;
}

export const FEW = { budget: { jobs: 12 } };

/** What none of these services breaks, unless a row says so. */
const BESIDE = [
  "job.shape",
  "job.same-id",
  "job.known-states",
  "job.result-present",
  "job.timestamps",
  "job.duration",
] as const satisfies readonly PromiseId[];

function besides(verdict: Verdict): Row["verdicts"] {
  return Object.fromEntries(BESIDE.map((id) => [id, verdict]));
}

/** Of jobs much is seen at once: what no row speaks of is kept. */
export function expectedOf({ verdicts }: Row): Row["verdicts"] {
  return { ...("job.never-lost" in verdicts ? besides("kept") : {}), ...verdicts };
}

function targetText({ parts = ["success"], sections = FEW }: Row, baseUrl: string, key: string) {
  return JSON.stringify({
    target: { baseUrl, timeScale: TIME_SCALE },
    keys: [{ name: key, plan: key.split("-")[0], env: "THE_KEY" }],
    workers: Object.fromEntries(parts.map((part) => [part, PART_WORKERS[part]])),
    ...sections,
  });
}

async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => {
    return [name, await readFile(join(parentPath, name), "utf8")] as const;
  });
  return new Map(await Promise.all(texts));
}

/** A gate of what is behind that address. */
async function gateOf(row: Row, service: ReferenceService, baseUrl: string): Promise<Judged> {
  await using folder = await temporaryFolder();
  const { key = "pro-a" } = row;
  const keyValue = service.keys.find(({ name }) => name === key)?.value ?? "";
  const target = await folder.write("plumbline.yaml", targetText(row, baseUrl, key));
  const reports = join(folder.path, "report");
  const only = Object.keys(expectedOf(row)).join();
  const args = ["gate", "--target", target, "--only", only, "--report", reports];
  const run = await runHere(args, { environment: { THE_KEY: keyValue } });
  const files = await textsIn(reports).catch(() => new Map<string, string>());
  const text = files.get("report.json");
  if (text === undefined) throw new Error(`there is no report: ${run.stderr}`);
  const report = reportSchema.parse(JSON.parse(text));
  return { run, report, files, keyValue };
}

export async function judged(row: Row): Promise<Judged> {
  const { variant, choices = {}, fault, front } = row.service;
  const faults = fault === undefined ? [] : [fault];
  const given = { variant, choices, timeScale: TIME_SCALE, seed: 1 };
  const service = await startReference(
    { ...given, faults: faults.map(({ name }) => name) },
    faults,
  );
  try {
    if (front === undefined) return await gateOf(row, service, service.baseUrl);
    const before = await openRewritingFront(service.baseUrl, front);
    return await gateOf(row, service, before.baseUrl).finally(() => before.close());
  } finally {
    await service.close();
  }
}

/** What a runbook tells a person to run in the night works, and is marked where it loads. */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { gateScenarios } from "../../cli/files/scenario-files.ts";
import { OptionReader } from "../../cli/values/option-reader.ts";
import { NOTHING_SPENT } from "../../contract/limits/budget.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { readLatencyTarget } from "../../dashboards/latency-targets.ts";
import { planGate } from "../../gate/plan.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { ROOT } from "../../runner/package-root.ts";
import { open as openReceiver } from "../receiver/open-receiver.ts";
import { openReference } from "../reference/open-reference.ts";

const list = (folder: string) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
const RUNBOOKS = list("docs/runbooks");
const RULES = "dashboards/generated/plumbline-rules.yaml";
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

const LOADING = /plumbline (?:gate|capacity|compare)\b/;
/** Requests, jobs and their price; whose keys; and when not. */
const MARK = new RegExp(
  "Not in an incident: .*sends (\\d+) requests or more and up to (\\d+) jobs " +
    "\\((\\d+\\.\\d\\d) USD at 0\\.01 USD a job\\) with " +
    "(?:all keys of the target file|the key for \\w+)",
);

/** Paragraphs and items of lists, each on one line. */
function paragraphs(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*(?:\d+\.|-) )/)
    .map((each) => each.replace(/\s+/g, " ").trim());
}

function unmarked(text: string): readonly string[] {
  return paragraphs(text).filter((each) => LOADING.test(each) && !MARK.test(each));
}

describe("a command that loads the service", () => {
  it.each([...RUNBOOKS, RULES])("says what it sends, and when not to call it: %s", (file) => {
    expect(unmarked(read(file))).toEqual([]);
  });

  it.each([
    "1. From there: `plumbline gate --target plumbline.yaml --only rate`.",
    "- `plumbline capacity --target plumbline.yaml` tells how much it carries.",
    "`plumbline compare --base a.yaml --candidate b.yaml`. Not in an incident.",
    "1. `plumbline gate --only job`.\n2. Not in an incident: it sends 9 requests or more and up " +
      "to 3 jobs (0.03 USD at 0.01 USD a job) with all keys of the target file.",
  ])("is found without its mark: %s", (text) => {
    expect(unmarked(text)).toHaveLength(1);
  });

  const marked = RUNBOOKS.flatMap((file) =>
    paragraphs(read(file))
      .filter((each) => LOADING.test(each))
      .map((text) => ({ file, only: /--only ([\w.,-]+)/.exec(text)?.[1], text })),
  );

  it.each(marked)("announces the jobs that it plans: $file", async ({ only, text }) => {
    const service = await referenceOf();
    const [, , jobs, usd] = MARK.exec(text) ?? [];
    const named = text.includes("or the id itself") ? SEEN_BY_PROBE : [];
    const most = Math.max(...[only, ...named].map((each) => jobsMost(service, each)));
    expect([jobs, usd]).toEqual([String(most), (most * 0.01).toFixed(2)]);
  });
});

/** A probe brings no load. */
const SEEN_BY_PROBE = PROMISE_IDS.filter((id) => !/^load\.|^timeout\.under-load$/.test(id));

function jobsMost(service: ReferenceService, only: string | undefined): number {
  const { jobs } = planGate({
    ...embeddedTarget(service),
    ...new OptionReader().only(only),
    profile: "standard",
    seed: 1,
    scenarios: gateScenarios(),
    witnesses: [],
    cores: 2,
    generator: "k6",
    spent: NOTHING_SPENT,
    receiver: { access: RECEIVER, missing: null, reach: "sure" },
  });
  return jobs.most;
}

const RECEIVER = {
  publicUrl: "http://127.0.0.1:9",
  queryUrl: "http://127.0.0.1:9",
  querySecretEnv: "PLUMBLINE_SINK_SECRET",
  refusingUrl: null,
  tokenPrefix: "",
  signature: { header: "X-Signature", scheme: "present" },
} as const;

async function referenceOf(): Promise<ReferenceService> {
  return await openReference({ timeScale: 0.02 });
}

describe("shell commands of runbooks", () => {
  const commands = RUNBOOKS.flatMap((file) =>
    [...read(file).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = ""]) => {
      return { file, text: text.trim() };
    }),
  );

  it("are there, and send one request each", () => {
    expect(commands.length).toBeGreaterThan(4);
    for (const { text } of commands) expect(text.match(/\bcurl\b/g)).toHaveLength(1);
  });

  it.each(commands)("are answered, and show no key: $file", async ({ text }) => {
    const service = await referenceOf();
    const key = service.keys.find(({ plan }) => plan === "pro")?.value ?? "";
    const submitted = await fetch(`${service.baseUrl}/v1/workers/echo/jobs`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ text: "hi" }),
    });
    const job = /"job_uuid":"([^"]+)"/.exec(await submitted.text())?.[1] ?? "";
    const { PATH = "" } = process.env;
    const PUBLIC_URL = (await openReceiver()).access.publicUrl;
    const env = { PATH, BASE_URL: service.baseUrl, PLUMBLINE_KEY_PRO: key, JOB: job, PUBLIC_URL };
    const run = await promisify(execFile)("sh", ["-c", text], { env });
    expect(run.stderr).toBe("");
    const status = text.includes("$PUBLIC_URL") ? "404" : "200";
    expect(run.stdout).toMatch(text.includes("$JOB") ? job : RegExp(`^HTTP/1\\.1 ${status} `));
    expect(job.length * key.length).toBeGreaterThan(0);
    expect(run.stdout).not.toContain(key);
    // Arguments of a process can be read by everybody on the machine.
    expect(text).not.toMatch(/curl .*\$PLUMBLINE_KEY/);
  });
});

describe("--latency in documents", () => {
  const shown = [...list("docs"), ...RUNBOOKS].flatMap((file) =>
    [...read(file).matchAll(/--latency ([a-z-]+=[^\s`]+)/g)].map(([, text = ""]) => ({
      file,
      text,
    })),
  );

  it.each(shown)("is what the command takes: $text ($file)", ({ text }) => {
    expect(readLatencyTarget(text)).toMatchObject({ kind: "target" });
  });

  it("is shown in the runbook of its alert", () => {
    expect(shown.map(({ file }) => path.basename(file))).toContain("PlumblineQueueWaitBurn.md");
  });
});

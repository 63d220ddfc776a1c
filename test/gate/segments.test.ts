/**
 * The soak's file, split over processes of real k6 by its own execution segments: what all of them
 * leave is judged as what one process leaves that runs all shards, in k6 or in Node.
 */

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { gateScenarios } from "../../cli/files/scenario-files.ts";
import { judgementOf } from "../../contract/judging/records.ts";
import { NOTHING_SPENT } from "../../contract/limits/budget.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { parseRecord } from "../../contract/run/evidence.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import { revealed, type Secrets } from "../../contract/text/secret.ts";
import { planGate } from "../../gate/plan.ts";
import { openReceiver } from "../../gate/webhook-receiver.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { runInNode } from "../../runner/run-in-node.ts";
import { openReference } from "../reference/open-reference.ts";
import { k6Here } from "../runner/k6-here.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const run = promisify(execFile);

/** How fast the service is, is open on a machine that is shared with other tests. */
const ONLY: readonly PromiseId[] = ["load.no-losses", "load.webhooks", "load.accounting"];
const SHARDS = 4;
const SECONDS = 3;
const JOBS_PER_SECOND = 24;

function sharded({ load, ...target }: Target): Target {
  if (load === null) throw new Error("the embedded service has a load");
  const durationMs = SECONDS * 1_000;
  const mix = { success: 3, failure: 1 };
  return {
    ...target,
    load: { ...load, durationMs, mix, jobsPerSecond: JOBS_PER_SECOND, shards: SHARDS },
  };
}

/** The records of so many processes, each with an equal segment of the run. */
async function recordsOf(
  processes: number,
  plan: RunPlan,
  secrets: Secrets,
): Promise<readonly EvidenceRecord[]> {
  const folder = await temporaryFolder();
  const planFile = path.join(folder, "plan.json");
  await writeFile(planFile, JSON.stringify(plan));
  const { path: k6 } = await k6Here();
  const script = gateScenarios().find(({ name }) => name === "soak")?.script ?? "";
  const env = { ...process.env, ...revealed(secrets), PLUMBLINE_PLAN: planFile };
  const bounds = Array.from({ length: processes + 1 }, (_, at) => `${at}/${processes}`);
  const running = bounds.slice(1).map(async (bound, at) => {
    const file = path.join(folder, `${at}.log`);
    const segments = [
      `--execution-segment=${bounds[at]}:${bound}`,
      `--execution-segment-sequence=${bounds.join(",")}`,
    ];
    const flags = ["--quiet", "--no-thresholds", "--log-format=raw", `--console-output=${file}`];
    await run(k6, ["run", ...flags, ...(processes === 1 ? [] : segments), script], { env });
    const lines = (await readFile(file, "utf8")).split("\n");
    return lines.flatMap((line) => parseRecord(line) ?? []);
  });
  return (await Promise.all(running)).flat();
}

const loadFigures = z.object({
  offered: z.number(),
  accepted: z.number(),
  endedByState: z.record(z.string(), z.number()),
  jobsPerSecond: z.number(),
});

async function recordsInNode(plan: RunPlan, secrets: Secrets): Promise<readonly EvidenceRecord[]> {
  const order = { plan, secrets, timeLimitMs: 600_000, signal: new AbortController().signal };
  const outputs = { name: "soak", outputDir: await temporaryFolder(), onRecord: () => {} };
  return (await runInNode({ ...order, ...outputs }, "soak")).records;
}

/** Verdicts and counts of one load that so many processes of k6 carry, or one of Node. */
async function judged(processes: number | "node") {
  const service = await openReference({ timeScale: 0.02 });
  const embedded = embeddedTarget(service);
  const target = sharded(embedded.target);
  const opened = await openReceiver(target, embedded.secrets);
  onTestFinished(() => opened.close());
  const { steps } = planGate({
    target,
    profile: "quick",
    only: ONLY,
    seed: 1,
    scenarios: gateScenarios(),
    witnesses: [],
    spent: NOTHING_SPENT,
    receiver: { access: opened.access, missing: opened.missing, reach: "sure" },
    cores: 2,
    generator: "k6",
  });
  const plan = steps[0]?.plan;
  if (plan === undefined) throw new Error("the plan has no soak");
  const secrets = new Map([...embedded.secrets, ...opened.secrets]);
  const records = await (processes === "node"
    ? recordsInNode(plan, secrets)
    : recordsOf(processes, plan, secrets));
  const judgement = judgementOf(records, plan);
  const load = judgement.find((each) => each.type === "measurement")?.value;
  const verdicts = judgement.flatMap((each) =>
    each.type === "finding" && ONLY.includes(each.finding.promise)
      ? [[each.finding.promise, each.finding.verdict] as const]
      : [],
  );
  const shards = records.flatMap((each) => (each.type === "ended" ? [each.shard?.index] : []));
  return {
    shards: shards.toSorted(),
    verdicts: Object.fromEntries(verdicts),
    figures: loadFigures.parse(load),
  };
}

it("is the same load, with the same verdicts, in one process, two, four, and Node", async () => {
  const jobs = SECONDS * JOBS_PER_SECOND;
  const expected = {
    shards: [0, 1, 2, 3],
    verdicts: { "load.no-losses": "kept", "load.webhooks": "kept", "load.accounting": "kept" },
    figures: {
      offered: jobs,
      accepted: jobs,
      endedByState: { completed: jobs * 0.75, failed: jobs * 0.25 },
      jobsPerSecond: JOBS_PER_SECOND,
    },
  };
  const all = await Promise.all(([1, 2, 4, "node"] as const).map(judged));
  expect(all).toEqual([expected, expected, expected, expected]);
});

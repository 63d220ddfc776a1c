/** Keys that were used shortly before the run, on a limiter with a long memory, by real k6. */

import path from "node:path";
import { expect, it } from "vitest";
import type { PlanKey, RunPlan } from "../../contract/run/run-plan.ts";
import { Secret } from "../../contract/text/secret.ts";
import { ROOT } from "../../runner/package-root.ts";
import { key } from "../gate/base-target.ts";
import { serve } from "../http/serve.ts";
import { BASE_PLAN } from "./base-plan.ts";
import { sampleRun } from "./sample-run.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SCENARIO = path.join(ROOT, "scenarios/rate-limit.ts");
/** Ours: the scenario's rests are longer than two windows, and a busy machine's pauses are not. */
const WINDOW_MS = 3_000;
const SILENT_WINDOWS = 1.9;
const BURST = 50;
/** Ours: ten times what a run takes. */
const RUN_MS = 540_000;

/** What a key has left, and when it was used last. */
interface Allowance {
  lastMs: number;
  left: number;
  /** After how many windows of silence the next bursts are whole; the last one counts on. */
  memories: number[];
}

/** Half of a burst is left until the limiter has forgotten. */
function admits(allowance: Allowance): boolean {
  const silentMs = performance.now() - allowance.lastMs;
  if (silentMs > WINDOW_MS * SILENT_WINDOWS) {
    const { memories } = allowance;
    const windows = (memories.length > 1 ? memories.shift() : memories[0]) ?? 0;
    const left = silentMs < windows * WINDOW_MS ? BURST / 2 : BURST;
    // Silence takes nothing away.
    allowance.left = Math.max(allowance.left, left);
  }
  allowance.lastMs = performance.now();
  allowance.left -= 1;
  return allowance.left >= 0;
}

async function limitedService(allowances: ReadonlyMap<string, Allowance>): Promise<string> {
  return serve((request, response) => {
    const allowance = allowances.get(String(request.headers["x-api-key"]));
    const isAdmitted = allowance !== undefined && admits(allowance);
    const status = allowance === undefined ? 401 : isAdmitted ? 200 : 429;
    response.writeHead(status, { "content-type": "application/json", "retry-after": "1" });
    response.end("{}");
  });
}

function planOf(baseUrl: string, keys: readonly PlanKey[]): RunPlan {
  const limited = keys.map(({ name }) => name);
  const roles = { ...BASE_PLAN.roles, limited };
  return { ...BASE_PLAN, baseUrl, keys, roles, promises: ["rate.per-key"] };
}

it.each([
  ["two windows", [2]],
  ["one window first, then two", [1, 2]],
])("a limiter that remembers %s is not taken for a shared one", async (_name, memories) => {
  const limit = { plan: "free", sustained: (BURST * 1_000) / WINDOW_MS, burst: BURST } as const;
  const keys = ["first", "second"].map((name) => key(name, limit));
  const lastMs = performance.now() - 60_000;
  const fresh = (...memories: number[]): Allowance => ({ lastMs, left: 0, memories });
  const allowances = new Map(keys.map(({ name }) => [`value-${name}`, fresh(2)]));
  // A sliding window counter remembers one window or two, as the windows on its clock fall.
  allowances.set("value-second", fresh(Number.POSITIVE_INFINITY, ...memories));
  const baseUrl = await limitedService(allowances);
  const run = await sampleRun({
    name: "rate-limit",
    script: SCENARIO,
    plan: planOf(baseUrl, keys),
    secrets: new Map(keys.map(({ env, name }) => [env, new Secret(`value-${name}`)])),
    timeLimitMs: RUN_MS,
    outputDir: await temporaryFolder(),
  });
  const findings = run.records.flatMap((each) => (each.type === "finding" ? [each.finding] : []));
  expect(findings, run.stderrTail).toMatchObject([{ promise: "rate.per-key", verdict: "kept" }]);
  // It was looked at twice, as its first burst fell short.
  expect(findings[0]?.evidence).toMatchObject({ second: { alone: [BURST, BURST] } });
});

/** A probe that comes back before its way to the service does, as after a boot. */

import { expect, it } from "vitest";
import { CrashPlan } from "../../../simulation/crash-plan.ts";
import type { Life } from "../../../simulation/simulated-lives.ts";
import { simulateLives } from "../../../simulation/simulated-lives.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { canary } from "../../probe/open-probe.ts";
import { bentService } from "./bent-service.ts";
import { samplesOf } from "./samples.ts";

/** The first polls of a job, by whichever probe, meet a gateway that has no service yet. */
function behindGateway(failures: number) {
  let left = failures;
  return bentService(({ method, target }) => {
    const isPoll = method === "GET" && /^\/v1\/jobs\/./.test(target);
    if (!isPoll || left === 0) return null;
    left -= 1;
    return { status: 503 };
  });
}

/** The second commit is that of the job's identifier; its deadline passes meanwhile. */
const inFlight = (): Life => ({
  crash: new CrashPlan(2, "after"),
  msMax: 300_000,
  isPowerLoss: false,
  downMs: 120_000,
  full: null,
});

const BAD = /^plumbline_sli_events_total\{slo="canary-success",result="bad"/;

async function cameBack(failures: number) {
  await using folder = await temporaryFolder();
  const { runs, lastMetrics } = await simulateLives({
    seed: 3,
    openService: behindGateway(failures),
    canaries: [canary("slow", { everyMs: 240_000, deadlineMs: 30_000 })],
    lives: [inFlight()],
    durationMs: 120_000,
    folder: folder.path,
  });
  const bad = samplesOf(lastMetrics, BAD).reduce((sum, { value }) => sum + value, 0);
  return { outcome: runs[0]?.outcome, isBad: bad > 0 };
}

it("polls a job of before again, until its way to the service is there", async () => {
  expect(await cameBack(4)).toEqual({ outcome: "success", isBad: false });
});

it("holds it against a service that does not come back within a minute", async () => {
  expect(await cameBack(100)).toEqual({ outcome: "http_error", isBad: true });
});

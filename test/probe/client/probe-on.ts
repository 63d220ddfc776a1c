/** A probe with one canary a part on any service, closed after the test. */

import { onTestFinished } from "vitest";
import type { Part } from "../../../contract/run/run-plan.ts";
import type { Target } from "../../../contract/target.ts";
import { Secret } from "../../../contract/text/secret.ts";
import type { Settled } from "../../../probe/events.ts";
import type { Outcome } from "../../../probe/outcome.ts";
import type { Probe } from "../../../probe/probe.ts";
import { startProbe } from "../../../probe/probe.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { BASE_TARGET } from "../../gate/base-target.ts";
import { alone } from "../alone.ts";
import { sample } from "../sample.ts";

const KEY = "PROBE_KEY";

export interface OpenedProbe {
  probe: Probe;
  /** Sum of the samples whose line matches. */
  sample(pattern: RegExp): Promise<number>;
}

export async function probeOn(
  { baseUrl }: { baseUrl: string },
  { parts, deadlineMs }: { parts: readonly Part[]; deadlineMs: number },
): Promise<OpenedProbe> {
  const state = await temporaryFolder();
  const probe = await startProbe({
    target: targetOf(baseUrl, parts, deadlineMs),
    secrets: new Map([[KEY, new Secret("secret-key")]]),
    stateDir: state.path,
    ...alone(),
  });
  onTestFinished(async () => {
    await probe.close(0);
    await state[Symbol.asyncDispose]();
  });
  return { probe, sample: (pattern: RegExp) => sample(probe.address, pattern) };
}

/** A key with room enough that its pace plays no part. */
function targetOf(baseUrl: string, parts: readonly Part[], deadlineMs: number): Target {
  const plan = { plan: null, sustained: 10_000, burst: 10_000, account: null } as const;
  return {
    ...BASE_TARGET,
    baseUrl,
    keys: [{ name: "main", env: KEY, state: "active", ...plan }],
    workers: Object.fromEntries(parts.map((part) => [part, { id: part, input: {} }])),
    canaries: parts.map((part) => ({
      name: part,
      part,
      everyMs: 60_000,
      jitterShare: 0,
      deadlineMs,
      webhook: false,
      expect: "completed",
      overlapMax: null,
    })),
  };
}

/** On a machine that is too busy to answer the last poll in time, that poll says nothing else. */
export function expectedOf(outcome: Outcome, run: Settled | null): Outcome {
  if (run?.why.includes("this machine stood still")) return "probe_error";
  const unanswered = run?.outcome === "http_error" && run.why.includes("no response (timeout)");
  return unanswered ? "http_error" : outcome;
}

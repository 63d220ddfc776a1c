/** A probe on a reference service, both closed after the test. */

import { onTestFinished } from "vitest";
import type { CanaryPlan, Target } from "../../contract/target.ts";
import { Secret } from "../../contract/text/secret.ts";
import type { ProbePorts } from "../../probe/ports.ts";
import { systemPorts } from "../../probe/ports.ts";
import type { Probe, ProbeOptions } from "../../probe/probe.ts";
import { startProbe } from "../../probe/probe.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { GivenOptions } from "../../reference/options.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { openReference } from "../reference/open-reference.ts";
import { alone } from "./alone.ts";
import { sample } from "./sample.ts";

/** Ours: a scrape takes 20 ms of its two ends, and some wait for half a minute. */
const ASK_MS = { first: 50, most: 1_000 };

/** Resolves once it is so; asks ever more seldom. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let waitMs = ASK_MS.first; !(await isSo()); waitMs = Math.min(2 * waitMs, ASK_MS.most))
    await new Promise((resolve) => setTimeout(resolve, waitMs));
}

export interface OpenProbe {
  probe: Probe;
  service: ReferenceService;
  stateDir: string;
  log: string[];
  metrics(accept?: string): Promise<string>;
  /** Sum of the samples whose line matches. */
  sample(pattern: RegExp): Promise<number>;
}

/** Ours: a busy machine may take seconds for what takes milliseconds. */
const DEADLINE_MS = 15_000;

export function canary(part: CanaryPlan["part"], changes: Partial<CanaryPlan> = {}): CanaryPlan {
  const times = { everyMs: 60_000, jitterShare: 0, deadlineMs: DEADLINE_MS };
  const rest = { webhook: false, expect: null, overlapMax: null };
  return { name: part, part, ...times, ...rest, ...changes };
}

interface Given {
  reference?: GivenOptions;
  target?: Partial<Target>;
  canaries: readonly CanaryPlan[];
  bearerToken?: string;
  ports?: Partial<ProbePorts>;
  /** Where an earlier probe kept its journal. */
  stateDir?: string;
  acceptUnknownSpending?: boolean;
  listen?: ProbeOptions["listen"];
}

export async function open({
  reference,
  target,
  canaries,
  bearerToken,
  ports,
  stateDir,
  acceptUnknownSpending = false,
  listen,
}: Given): Promise<OpenProbe> {
  const service = await openReference({ timeScale: 0.02, ...reference });
  const state = await temporaryFolder();
  onTestFinished(() => state[Symbol.asyncDispose]());
  const embedded = embeddedTarget(service);
  const log: string[] = [];
  const options: ProbeOptions = {
    target: { ...embedded.target, canaries, ...target },
    secrets: embedded.secrets,
    stateDir: stateDir ?? state.path,
    acceptUnknownSpending,
    ...alone((line) => log.push(line)),
    ...(listen === undefined ? {} : { listen }),
    bearerToken: bearerToken == null ? null : new Secret(bearerToken),
  };
  const probe = await startProbe(options, { ...systemPorts(), ...ports });
  onTestFinished(() => probe.close(0));
  return {
    probe,
    service,
    stateDir: state.path,
    log,
    metrics: async (accept = "") =>
      (await fetch(`${probe.address}/metrics`, { headers: { accept } })).text(),
    sample: (pattern) => sample(probe.address, pattern),
  };
}

/** A world: a reference service behind a gateway, and a probe on it, all in this process. */

import path from "node:path";
import type { CanaryPlan, ProbePlan, Target } from "../../../contract/target.ts";
import type { Secrets } from "../../../contract/text/secret.ts";
import type { Clock } from "../../../probe/clock.ts";
import { createLogger } from "../../../probe/operation/log.ts";
import { systemPorts } from "../../../probe/ports.ts";
import type { Probe } from "../../../probe/probe.ts";
import { startProbe } from "../../../probe/probe.ts";
import { embeddedTarget } from "../../../reference/embedded-target.ts";
import type { GivenOptions } from "../../../reference/options.ts";
import type { ReferenceService } from "../../../reference/service.ts";
import { startReference } from "../../../reference/service.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { sample } from "../../probe/sample.ts";
import type { Gateway } from "./gateway.ts";
import { startGateway } from "./gateway.ts";
import { LOCATION } from "./history.ts";
import { CANARY_MS } from "./pace.ts";

export interface World {
  service: ReferenceService;
  gateway: Gateway;
  probe: Probe;
  target: Target;
  secrets: Secrets;
  /** The probe's log, a JSON line each. */
  log: readonly string[];
  /** Sum of the samples of a scrape whose line matches. */
  sample(pattern: RegExp): Promise<number>;
  close(): Promise<void>;
}

export interface WorldOptions {
  canaries?: readonly CanaryPlan[];
  /** Has a receiver of webhooks, a thread of its own, at a port or any; false unless told. */
  webhooks?: boolean | { port: number };
  reference?: GivenOptions;
  probe?: Partial<ProbePlan>;
  clock?: Clock;
}

/** Ours: jobs of the reference service end within a tenth of a canary's interval. */
const TIME_SCALE = 0.02;
/** Ours: longer than a busy machine stands still. */
const DEADLINE_MS = 2 * CANARY_MS;

export function canary(part: CanaryPlan["part"], changes: Partial<CanaryPlan> = {}): CanaryPlan {
  const times = { everyMs: CANARY_MS, jitterShare: null, deadlineMs: DEADLINE_MS };
  return { name: part, part, ...times, webhook: false, expect: null, overlapMax: null, ...changes };
}

/** `folder` is the world's own; its journal is kept there. */
export async function openWorld(folder: string, options: WorldOptions = {}): Promise<World> {
  const service = await startReference({ timeScale: TIME_SCALE, ...options.reference });
  const gateway = await startGateway(service.baseUrl);
  const { target: embedded, secrets } = embeddedTarget(service);
  const target: Target = {
    ...embedded,
    baseUrl: gateway.baseUrl,
    webhook: webhookOf(embedded, options.webhooks ?? false),
    canaries: options.canaries ?? [canary("success")],
    probe: { ...PROBE_PLAN, ...options.probe },
  };
  const log: string[] = [];
  const ports = systemPorts();
  const given = {
    target,
    secrets,
    stateDir: path.join(folder, "state"),
    listen: { host: "127.0.0.1", port: 0 },
    location: LOCATION,
    bearerToken: null,
    allowedHosts: [],
    version: "0.0.0",
    logger: createLogger(
      (line) => log.push(line),
      (text) => text,
    ),
  };
  const probe = await startProbe(given, { ...ports, clock: options.clock ?? ports.clock });
  probe.start();
  return {
    service,
    gateway,
    probe,
    target,
    secrets,
    log,
    sample: (pattern) => sample(probe.address, pattern),
    async close() {
      await probe.close(0);
      await gateway.close();
      await service.close();
    },
  };
}

function webhookOf({ webhook }: Target, wanted: boolean | { port: number }): Target["webhook"] {
  if (webhook === null || wanted === false) return null;
  const port = wanted === true ? 0 : wanted.port;
  return { ...webhook, listen: { ...webhook.listen, port } };
}

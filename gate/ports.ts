/** The outside of a gate run: its clock, its receiver, what runs a scenario, the witnesses' net. */

import { availableParallelism } from "node:os";
import path from "node:path";
import { nowMs } from "../clock/system-clock.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import { offersLoad } from "../contract/run/shards.ts";
import type { Target } from "../contract/target.ts";
import type { Secrets } from "../contract/text/secret.ts";
import { MACHINE_TIME } from "../http/careful.ts";
import { createClient } from "../http/client.ts";
import { download } from "../http/download.ts";
import { runInNode } from "../runner/run-in-node.ts";
import { runK6 } from "../runner/run-k6.ts";
import type { ScenarioRun } from "../runner/scenario-process.ts";
import type { EvidenceSink } from "./evidence-file.ts";
import { evidenceFile } from "./evidence-file.ts";
import type { GateOptions, GateScenario } from "./options.ts";
import type { OpenReceiver } from "./webhook-receiver.ts";
import { openReceiver } from "./webhook-receiver.ts";
import type { WitnessNet } from "./witnesses/witness.ts";

/** One scenario to be run to its end, and who is told of its evidence meanwhile. */
export interface ScenarioOrder {
  /** Of this run of it, and of its outputs: a scenario may be asked twice. */
  name: string;
  scenario: GateScenario;
  plan: RunPlan;
  secrets: Secrets;
  timeLimitMs: number;
  signal: AbortSignal;
  onRecord: (record: EvidenceRecord) => void;
}

export interface GatePorts {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Of the machine that runs the scenarios. */
  cores: number;
  openReceiver(target: Target, secrets: Secrets): Promise<OpenReceiver>;
  runScenario(order: ScenarioOrder): Promise<ScenarioRun>;
  net: WitnessNet;
  /** Takes the evidence as it comes. */
  record?: EvidenceSink;
}

/** Sockets, and the machine's clock. */
export const REAL_NET: WitnessNet = {
  createClient,
  download,
  ...MACHINE_TIME,
};

type Outputs = Pick<GateOptions, "k6" | "outputDir" | "remoteWrite" | "secrets">;

/** k6 in processes of its own, sockets, and the machine's clock. */
export function realPorts({ k6, outputDir, remoteWrite, secrets }: Outputs): GatePorts {
  return {
    nowMs: () => Math.round(nowMs()),
    cores: availableParallelism(),
    openReceiver,
    runScenario({ scenario, ...order }) {
      const outputs = { ...order, outputDir: path.join(outputDir, "k6") };
      const { name, script } = scenario;
      if (offersLoad(name) && order.plan.load?.generator === "node")
        return runInNode(outputs, name);
      return runK6({ ...outputs, k6Path: k6.path, script, remoteWrite: remoteWrite ?? null });
    },
    net: REAL_NET,
    record: evidenceFile(outputDir, secrets),
  };
}

/** A load that several machines carry: its plan, and one recording of what they left. */

import type { ReceiverAccess } from "../contract/jobs/delivery.ts";
import { NOTHING_SPENT } from "../contract/limits/budget.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import { shardProblem, shardsOf, shardsOver } from "../contract/run/shards.ts";
import type { Target } from "../contract/target.ts";
import { targetHead } from "../contract/target.ts";
import { K6_VERSION } from "../runner/k6-version.ts";
import { packageVersion } from "../runner/package-root.ts";
import type { GateScenario } from "./options.ts";
import type { ScenarioStep } from "./plan.ts";
import { planGate } from "./plan.ts";
import type { Recording, RunHead } from "./recording.ts";
import { EVIDENCE_SCHEMA_VERSION } from "./recording.ts";
import { judgedEvidence, lostEvidenceText } from "./run-outcome.ts";

/** The one scenario whose shards may be apart. */
const SCENARIO = "soak";

export interface SharedLoadInput {
  target: Target;
  /** null: all that the load can judge; then one that it had no means to see fails nothing. */
  only: readonly PromiseId[] | null;
  leftOut: readonly PromiseId[];
  seed: number;
  /** Of which that of the load is taken. */
  scenarios: readonly GateScenario[];
  receiver: { access: ReceiverAccess | null; missing: string | null };
  processes: number;
}

/** All that those need to know who merge what the processes leave. */
export interface SharedLoad {
  head: RunHead;
  scenario: Pick<GateScenario, "name" | "promises">;
}

export interface SharedLoadPlan extends SharedLoad {
  scenario: GateScenario;
  plan: RunPlan;
  timeLimitMs: number;
}

/** Null where so many can't share the load; `nothing` where no promise of it is asked for. */
export function planSharedLoad(input: SharedLoadInput): SharedLoadPlan | "nothing" | null {
  const first = stepOf(input);
  if (first === null) return "nothing";
  const shards = shardsOver(first.step.plan, input.processes);
  if (shards === null) return null;
  const { target } = input;
  const load = target.load === null ? null : { ...target.load, shards };
  const planned = stepOf({ ...input, target: { ...target, load } }) ?? first;
  const { scenario, plan, timeLimitMs } = planned.step;
  return { head: headOf(input, planned), scenario, plan, timeLimitMs };
}

interface Planned {
  step: ScenarioStep;
  budget: RunHead["budget"];
}

function stepOf({ target, only, seed, scenarios, receiver }: SharedLoadInput): Planned | null {
  const { steps, ceiling, planned } = planGate({
    target,
    profile: "soak",
    only,
    seed,
    scenarios: scenarios.filter(({ name }) => name === SCENARIO),
    witnesses: [],
    // Nothing is submitted for a plan, so that nothing has shown it.
    receiver: { ...receiver, reach: "unknown" },
    spent: NOTHING_SPENT,
    cores: 1,
    generator: "k6",
  });
  const step = steps.find((each) => each.kind === "scenario");
  return step === undefined ? null : { step, budget: { ceiling, planned } };
}

function headOf(input: SharedLoadInput, { step, budget }: Planned): RunHead {
  const { target, only, leftOut, seed } = input;
  return {
    type: "run",
    schemaVersion: EVIDENCE_SCHEMA_VERSION,
    profile: "soak",
    seed,
    startedAtMs: 0,
    tool: { plumbline: packageVersion(), k6: K6_VERSION, node: process.versions.node },
    target: targetHead(target),
    only,
    leftOut,
    judged: step.scenario.promises,
    nodePromises: [],
    budget,
    spent: NOTHING_SPENT,
    plan: step.plan,
  };
}

/** What one process has left; `dropped`: lines of evidence that can't be read or are too long. */
export interface ProcessRecords {
  records: readonly EvidenceRecord[];
  dropped: number;
}

/** Whether all shards have come to their ends, so that nothing more is to be waited for. */
export function haveAllEnded({ head, scenario }: SharedLoad, left: readonly ProcessRecords[]) {
  const ends = recordsOf(left).flatMap((each) => (each.type === "ended" ? [each] : []));
  const seen = new Set(ends.map(({ shard }) => shard?.index ?? 0));
  return seen.size >= shardsOf(scenario.name, head.plan);
}

/** Judged as one load. Where a shard is missing or its lines can't be read, nothing is kept. */
export function recordingOfShares(
  { head, scenario }: SharedLoad,
  left: readonly ProcessRecords[],
): Recording {
  const raw = recordsOf(left);
  const trouble = troubleOf(scenario.name, head, left);
  const [startedAtMs, finishedAtMs] = timesOf(raw);
  const run = judgedEvidence(
    {
      scenario,
      outcome: trouble === null ? "ended" : "crashed",
      trouble,
      raw,
      durationMs: finishedAtMs - startedAtMs,
      again: null,
    },
    head.plan,
  );
  const note = `the load was carried by ${left.length} processes, merged from what each left`;
  return {
    head: { ...head, startedAtMs },
    runs: [run],
    testimonies: [],
    end: { finishedAtMs, interrupted: false, notes: [note] },
  };
}

function troubleOf(name: string, { plan }: RunHead, left: readonly ProcessRecords[]) {
  const dropped = left.reduce((sum, each) => sum + each.dropped, 0);
  if (dropped > 0) return lostEvidenceText(dropped);
  return shardProblem(recordsOf(left), shardsOf(name, plan));
}

function recordsOf(left: readonly ProcessRecords[]): readonly EvidenceRecord[] {
  return left.flatMap(({ records }) => records);
}

/** By the first shard that began and the last one that ended; 0 where none did. */
function timesOf(records: readonly EvidenceRecord[]): readonly [number, number] {
  const at = records.flatMap((each) => ("atMs" in each ? [each.atMs] : []));
  return at.length === 0 ? [0, 0] : [Math.min(...at), Math.max(...at)];
}

/** What the runs so far have submitted, as it comes in: those that follow have to know. */

import type { EarlierJobs, JobCharges } from "../contract/jobs/earlier-jobs.ts";
import { sumOfCharges } from "../contract/jobs/earlier-jobs.ts";
import type { Spent } from "../contract/limits/budget.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import { shardsOf } from "../contract/run/shards.ts";
import { occupancyOf } from "./occupancy.ts";
import type { ScenarioStep } from "./plan.ts";

/** One k6 run, from its start on. */
interface Submitting {
  step: Pick<ScenarioStep, "scenario" | "plan">;
  opened: EarlierJobs["opened"];
  /** By shard. */
  charges: Map<number, JobCharges>;
}

export class JobsSoFar {
  private readonly runs: Submitting[] = [];
  private readonly before: readonly EarlierJobs[];

  /** `spent`: how many jobs ran before any scenario, with that key; null: with any. */
  constructor(spent: Spent, key: Pick<PlanKey, "account" | "name"> | null) {
    const charges = { jobs: 0, credits: 0, usd: 0, unknown: spent.jobs };
    const { account, name } = key ?? { account: null, name: "" };
    this.before = spent.jobs === 0 ? [] : [{ account, key: name, opened: {}, charges }];
  }

  /** A run begins: what to call with its records. */
  begin(step: Submitting["step"]): (record: EvidenceRecord) => void {
    const run: Submitting = { step, opened: {}, charges: new Map() };
    this.runs.push(run);
    return (record) => {
      if (record.type === "account") run.opened = record.amounts;
      if (record.type === "charges") run.charges.set(record.shard?.index ?? 0, record);
    };
  }

  /** Of all runs that have begun. */
  all(): readonly EarlierJobs[] {
    const later = this.runs.flatMap(({ step: { scenario, plan }, opened, charges }) => {
      const isWhole = charges.size === shardsOf(scenario.name, plan);
      const own = isWhole ? sumOfCharges([...charges.values()]) : null;
      return occupancyOf(scenario, plan).submitters.map(({ account, name }) => ({
        ...{ account, key: name, opened, charges: own },
      }));
    });
    return [...this.before, ...later];
  }
}

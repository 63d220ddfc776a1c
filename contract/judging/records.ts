/** Judges a scenario by the records that it left, and puts the judgement in their form. */

import type { PromiseId } from "../promises.ts";
import type { EvidenceRecord } from "../run/evidence.ts";
import type { Observation } from "../run/observation.ts";
import type { RunPlan } from "../run/run-plan.ts";
import { shardProblem, shardsOf, WHOLE_LOAD } from "../run/shards.ts";
import type { Finding } from "../verdict.ts";
import { eachOnce, inconclusive } from "../verdict.ts";
import { isPiecewise, judgeRun } from "./judge-run.ts";

/**
 * What the records say of a run, with the judgement of its observations in place of what was judged
 * while it ran. Those of a run that did not finish are left as they are where what was
 * observed by then may be half of what a judge needs.
 */
export function judgedAgain(
  records: readonly EvidenceRecord[],
  plan: RunPlan,
): readonly EvidenceRecord[] {
  const isOver = records.some(({ type }) => type === "ended");
  if (!isOver && !records.some(({ scenario }) => isPiecewise(scenario))) return records;
  const own = records.filter((record) => !("judged" in record));
  return [...own, ...judgementOf(own, plan)];
}

/** The judgement of a scenario's observations; none where it has left none. */
export function judgementOf(
  records: readonly EvidenceRecord[],
  plan: RunPlan,
): readonly EvidenceRecord[] {
  const observations = records.filter((record) => record.type === "observation");
  const scenario = observations[0]?.scenario;
  if (scenario === undefined) return [];
  const asked = records.flatMap((each) => (each.type === "registered" ? each.promises : []));
  const shards = shardsOf(scenario, plan);
  const { shard = WHOLE_LOAD } = observations[0] ?? {};
  const isShare = shards === 1 && shard.count > 1;
  const problem = shards === 1 ? null : shardProblem(records, shards);
  // A record that is there twice is of one shard: what it says is no agreement of two.
  const own = problem === null ? observations : eachOnce(observations);
  const seen = isShare ? withoutWhole(own) : own;
  const judged = judgeRun(seen, { scenario, plan, asked: [...new Set(asked)] });
  const findings = problem === null ? judged.findings : judged.findings.flatMap(withheld(problem));
  const head = { scenario, judged: true } as const;
  return [
    ...findings.map((finding) => ({ type: "finding", finding, ...head }) as const),
    ...judged.measurements.map((each) => ({ type: "measurement", ...each, ...head }) as const),
    ...judged.series.map((each) => ({ type: "series", ...each, ...head }) as const),
    ...judged.notes.map((text) => ({ type: "note", text, ...head }) as const),
  ];
}

/** Promises on what all shards do together: nothing follows from the part of one. */
const OF_THE_WHOLE: readonly PromiseId[] = ["load.accounting"];

/** What one shard can judge by itself: the balance falls by what the jobs of all of them cost. */
function withoutWhole(observations: readonly Observation[]): readonly Observation[] {
  return observations.map((each): Observation => {
    if (each.kind !== "soak.accounts") return each;
    const reason = "one shard knows a part of the costs: judged when all are merged";
    return { kind: "nothing", value: { reason, promises: OF_THE_WHOLE } };
  });
}

/**
 * Where a shard is missing: what the others saw broken stays so, if it is seen by one alone. What
 * is seen in passing withholds nothing.
 */
function withheld(problem: string): (finding: Finding) => readonly Finding[] {
  return (finding) => {
    const { promise, verdict, evidence, inPassing = false } = finding;
    const stands = verdict === "broken" && !OF_THE_WHOLE.includes(promise);
    if (stands || verdict === "unobserved") return [finding];
    return inPassing ? [] : [inconclusive(promise, problem, { evidence })];
  };
}

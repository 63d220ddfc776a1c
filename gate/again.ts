/**
 * Asks once more what a run left in doubt, within what is left of its budget and time. What is
 * broken stays broken, and both answers are told: nothing is drawn until it fits.
 */

import { isObject } from "../contract/decode/decoded.ts";
import { NOTHING_SPENT } from "../contract/limits/budget.ts";
import { declaredLimit, windowMs } from "../contract/plans.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import { PATIENCE_MS } from "../contract/run/run-plan.ts";
import { ownMs } from "../contract/time/promised-times.ts";
import { areSetApart } from "../contract/timeline/clock-offset.ts";
import type { Breach, Finding } from "../contract/verdict.ts";
import type { JobLimits } from "./budget.ts";
import { isAskedAgain } from "./budget.ts";
import { spentOf } from "./collect.ts";
import type { MergeInput } from "./merge.ts";
import { mergeEvidence } from "./merge.ts";
import { judges } from "./occupancy.ts";
import type { GateScenario } from "./options.ts";
import type { GatePlan, PlanInput, ScenarioStep } from "./plan.ts";
import { planGate } from "./plan.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";
import { judgedEvidence } from "./run-outcome.ts";

/**
 * From the beginning to the end of what is asked again, in ms. Ours: twice what a profile may take
 * without it; of a soak that has ended, as much again as the other scenarios take.
 */
const WITH_AGAIN_MS_MAX: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 150_000,
  standard: 26 * 60_000,
  soak: 26 * 60_000,
};

/** Ours: a sliding window counter remembers two windows; half a one more is for its clock. */
const REST_WINDOWS = 2.5;

export interface Doubt {
  scenario: Pick<GateScenario, "name" | "promises">;
  promises: readonly PromiseId[];
}

/**
 * Who left which promise in doubt by themselves. A scenario that did not end, or that kept nothing,
 * not even in passing, met an outage: the same question would get the same answer. So it would
 * where the doubt is due to another promise that the run found broken.
 */
export function doubtsOf(input: MergeInput): readonly Doubt[] {
  const open = mergeEvidence(input).filter(({ verdict }) => verdict === "inconclusive");
  const ids = new Set(open.map(({ promise }) => promise));
  return input.runs.flatMap(({ scenario, outcome, findings }) => {
    if (outcome !== "ended" || findings.every(({ verdict }) => verdict !== "kept")) return [];
    const broken = findings.filter(({ verdict }) => verdict === "broken");
    const unexplained = findings.filter((each) => !isExplained(each, broken));
    const own = scenario.promises.filter(
      (id) => ids.has(id) && isInDoubt(unexplained.filter(({ promise }) => promise === id)),
    );
    return own.length === 0 ? [] : [{ scenario, promises: own }];
  });
}

/** Whether of each key that it names, or of none, a breach was found that explains it. */
function isExplained({ explainedBy = [] }: Finding, broken: readonly Finding[]): boolean {
  const found = explainedBy.filter((breach) => broken.some((each) => isBroken(breach, each)));
  const keys = new Set(found.map(({ key }) => key));
  return found.length > 0 && explainedBy.every(({ key }) => keys.has(key));
}

function isBroken({ promise, key }: Breach, { promise: broken, keys }: Finding): boolean {
  return promise === broken && (key === undefined || (keys?.includes(key) ?? true));
}

function isInDoubt(findings: readonly Finding[]): boolean {
  const isOne = (verdict: Finding["verdict"]) => findings.some((each) => each.verdict === verdict);
  return isOne("inconclusive") && !isOne("broken");
}

export type PlannedInput = PlanInput & { limits: JobLimits };

interface AgainInput {
  /** The plan's input of the first time, and what it found that scenarios may submit. */
  input: PlannedInput;
  doubts: readonly Doubt[];
  runs: readonly ScenarioEvidence[];
  /** Since the beginning of the run. */
  elapsedMs: number;
}

interface AgainPlan {
  plan: GatePlan;
  /** To be waited first: keys have rested then, as at the beginning. */
  restMs: number;
  /** Scenarios for which there is neither time nor budget. */
  left: readonly string[];
}

export function planAgain({ input, doubts, runs, elapsedMs }: AgainInput): AgainPlan {
  const leftMs = WITH_AGAIN_MS_MAX[input.profile] - elapsedMs;
  const tookMs = ({ name }: Doubt["scenario"]) => {
    return runs.find(({ scenario }) => scenario.name === name)?.durationMs ?? 0;
  };
  const inTime = doubts.filter(({ scenario }) => {
    return tookMs(scenario) <= leftMs && isAskedAgain(scenario, input.profile);
  });
  const records = runs.flatMap((run) => run.records);
  const names = new Set(inTime.map(({ scenario }) => scenario.name));
  const plan = planGate({
    ...input,
    only: [...new Set(inTime.flatMap(({ promises }) => promises))],
    seed: input.seed + 1,
    scenarios: input.scenarios.filter((each) => names.has(each.name)),
    witnesses: [],
    receiver: withoutRefusing(input.receiver),
    spent: spentOf(records, input.spent),
    limits: limitsLeft(input.limits, runs),
  });
  const scenarioSteps = plan.steps.filter((step): step is ScenarioStep => step.kind === "scenario");
  const steps = scenarioSteps.filter(isAffordable).map((step) => ({
    ...step,
    plan: withPatience(step.plan, leftMs - tookMs(step.scenario)),
    name: againName(step.name),
    isAgain: true,
    after: step.after.map(againName),
    timeLimitMs: Math.min(step.timeLimitMs, leftMs),
  }));
  const asked = new Set(steps.map((step) => step.scenario.name));
  const left = doubts.filter(({ scenario }) => !asked.has(scenario.name));
  const limits = input.target.keys.flatMap((key) => declaredLimit(key) ?? []);
  const restMs = REST_WINDOWS * Math.max(0, ...limits.map(windowMs));
  return { plan: { ...plan, steps }, restMs, left: left.map(({ scenario }) => scenario.name) };
}

/** A scenario that is called off answers nothing: without the time for it there is no patience. */
function withPatience(plan: RunPlan, moreMs: number): RunPlan {
  return moreMs < ownMs(plan.times, PATIENCE_MS) ? plan : { ...plan, isPatient: true };
}

function limitsLeft(limits: JobLimits, runs: readonly ScenarioEvidence[]): JobLimits {
  const left = new Map(limits);
  for (const { scenario, records } of runs) {
    const limit = left.get(scenario.name);
    const { jobs } = spentOf(records, NOTHING_SPENT);
    if (limit !== undefined) left.set(scenario.name, Math.max(0, limit - jobs));
  }
  return left;
}

function againName(name: string): string {
  return `${name}-again`;
}

/** The port that refuses was opened in the end: it refuses nobody a second time. */
function withoutRefusing({ access, ...receiver }: PlanInput["receiver"]): PlanInput["receiver"] {
  return { ...receiver, access: access === null ? null : { ...access, refusingUrl: null } };
}

/** Without a job nothing is told but by what needs none. */
function isAffordable({ scenario, plan }: ScenarioStep): boolean {
  return plan.budget.jobs === null || plan.budget.jobs >= 1 || judges(scenario, "rate");
}

/** The first runs with the second answers in the place of doubts; each tells of both. */
export function withSecondAnswers(
  runs: readonly ScenarioEvidence[],
  plan: RunPlan,
): readonly ScenarioEvidence[] {
  const firsts = runs.filter(({ again }) => again === null);
  return firsts.map((run) => {
    const second = runs.find(
      ({ scenario, again }) => again !== null && scenario.name === run.scenario.name,
    );
    if (second === undefined) return run;
    const records = [...run.records, ...second.records.filter(isAccount)];
    if (second.outcome !== "ended") return { ...run, records };
    const answers = [...second.findings, ...brokenTogether(run, second, plan)];
    const findings = run.findings.map((first) => {
      const own = answers.filter(({ promise }) => promise === first.promise);
      const answer = own.find(({ verdict }) => verdict === "broken") ?? own.at(-1);
      if (first.verdict !== "inconclusive" || !second.again?.includes(first.promise)) return first;
      return answer === undefined ? first : bothAnswers(first, answer);
    });
    return { ...run, findings, records };
  });
}

/**
 * What is in doubt in both runs for a reason that can hold once in each at the most, which the two
 * deny each other, and broken by what both saw.
 */
function brokenTogether(
  first: ScenarioEvidence,
  second: ScenarioEvidence,
  plan: RunPlan,
): readonly Finding[] {
  const promises = second.findings
    .filter((each) => first.findings.some((before) => denyEachOther(before, each)))
    .map(({ promise }) => promise);
  if (promises.length === 0) return [];
  const raw = [...first.raw, ...second.raw];
  const { findings } = judgedEvidence({ ...first, raw }, { ...plan, promises });
  return findings.filter(({ verdict }) => verdict === "broken");
}

function denyEachOther(first: Finding, second: Finding): boolean {
  const [before = [], after = []] = [first.once, second.once];
  if (first.promise !== second.promise || before.length === 0 || after.length === 0) return false;
  return !before.some((each) => after.some((later) => areSetApart(each, later)));
}

/** What a second run cost and noted; its figures would stand beside those of the first. */
function isAccount({ type }: EvidenceRecord): boolean {
  return type === "spent" || type === "note";
}

/** In doubt only because a key was refused meanwhile: it had not been observed at all. */
function isForWantOfKey({ evidence }: Finding): boolean {
  return evidence.refusedKey !== undefined;
}

function bothAnswers(first: Finding, second: Finding): Finding {
  if (second.verdict === "unobserved") return isForWantOfKey(first) ? second : first;
  if (looksElsewhere(first, second)) return first;
  const evidence = { ...second.evidence, inDoubtAtFirst: first.reason };
  if (second.verdict !== "inconclusive") return { ...second, evidence };
  const reason = `${second.reason}; inconclusive at first, too`;
  return { ...second, evidence, reason, summary: reason };
}

/**
 * Whether the second run kept a promise without a look at what was in doubt: it refuses nobody, and
 * may have no job left to submit.
 */
function looksElsewhere({ kinds = {} }: Finding, { verdict, evidence }: Finding): boolean {
  const isUnseen = ([name, own]: [string, readonly string[]]) => {
    const counts = evidence[name];
    return isObject(counts) && own.some((kind) => !Object.hasOwn(counts, kind));
  };
  return verdict === "kept" && Object.entries(kinds).some(isUnseen);
}

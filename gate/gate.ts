/** Judges a target: plans the run, runs scenarios and witnesses, merges what they saw. */

import type { Price } from "../contract/limits/budget.ts";
import { NOTHING_SPENT, UNPRICED } from "../contract/limits/budget.ts";
import { groupOf, PROMISE_IDS } from "../contract/promises.ts";
import { unavailableAfterMs } from "../contract/requests/silence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import type { RunResult } from "../contract/run/run-result.ts";
import { targetHead } from "../contract/target.ts";
import { packageVersion } from "../runner/package-root.ts";
import { hasFailedToSend, labelNote } from "../runner/remote-write.ts";
import type { Doubt, PlannedInput } from "./again.ts";
import { doubtsOf, planAgain } from "./again.ts";
import { CallOff, callerKey, timeOf } from "./call-off.ts";
import { JobsSoFar } from "./earlier-jobs.ts";
import { shortfallNote, tryMachine } from "./machine-trial.ts";
import { leftOutOfGroup } from "./merge.ts";
import type { GateOptions, RunOutcome } from "./options.ts";
import type { GatePlan, ScenarioStep, Step, WitnessStep } from "./plan.ts";
import { generatorOf, planGate } from "./plan.ts";
import type { GatePorts } from "./ports.ts";
import { realPorts } from "./ports.ts";
import type { Reachability } from "./reachability.ts";
import { tryingKey, tryReceiver } from "./reachability.ts";
import type { Recording, RunHead } from "./recording.ts";
import { EVIDENCE_SCHEMA_VERSION, lineOf, runLines } from "./recording.ts";
import { mergeInputOf, resultOf } from "./result.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";
import { evidenceOf, evidenceOfNothing } from "./run-outcome.ts";
import type { OpenReceiver } from "./webhook-receiver.ts";
import { NODE_WITNESSES } from "./witnesses/index.ts";
import { endedJobs, submittedJobs } from "./witnesses/submitted-jobs.ts";
import type { Testimony } from "./witnesses/witness.ts";
import { testimonyOf } from "./witnesses/witness.ts";

/** What the runs have left so far. */
interface Collected {
  runs: ScenarioEvidence[];
  testimonies: Testimony[];
  notes: string[];
  jobs: JobsSoFar;
}

/** A run's options and the outside that it happens in. */
interface Outside extends GateOptions {
  ports: GatePorts;
}

interface Run extends Outside {
  callOff: CallOff;
}

/**
 * Runs to the end or until the signal is aborted, and returns what was seen either way. Rejects
 * when k6 can't be started or its outputs can't be written. The ports are k6, sockets and the
 * machine's clock, unless others are given.
 */
export async function runGate(
  given: GateOptions,
  ports: GatePorts = realPorts(given),
): Promise<RunResult> {
  const options: Outside = { ...given, ports };
  const startedAtMs = ports.nowMs();
  const opened = await ports.openReceiver(options.target, options.secrets);
  const callOff = callOffOf(options);
  try {
    const { missing, reach, spent, estimate } = await reachabilityOf(opened, options);
    const receiver = { access: missing === null ? opened.access : null, missing, reach };
    const { cores } = ports;
    const sending = { cores, generator: generatorOf(options, Boolean(options.remoteWrite)) };
    const input = { ...options, witnesses: NODE_WITNESSES, receiver, spent, ...sending };
    const plan = planGate(input);
    const price = priceOf(options);
    options.onPlanned(plan.jobs, { ...price, credits: estimate ?? price.credits });
    const collected: Collected = {
      runs: [],
      testimonies: [],
      notes: [],
      jobs: new JobsSoFar(spent, tryingKey(options.target) ?? null),
    };
    const { remoteWrite } = options;
    if (remoteWrite) collected.notes.push(labelNote(remoteWrite));
    if (missing !== null && opened.access !== null) collected.notes.push(missing);
    for (const id of options.leftOut ?? []) collected.notes.push(`${id} is ${leftOutOfGroup(id)}`);
    const secrets = new Map([...options.secrets, ...opened.secrets]);
    const run = { ...options, secrets, callOff };
    await examineMachine(plan, run, collected);
    const head = headOf(run, plan, startedAtMs);
    await ports.record?.(lineOf(head));
    await runSteps(plan, run, collected);
    await askAgain({ ...input, limits: plan.limits }, run, collected, head);
    const recording = recordingOf(run, head, collected);
    await ports.record?.(lineOf({ type: "end", ...recording.end }));
    return resultOf(recording);
  } finally {
    callOff.end();
    await opened.close();
  }
}

function callOffOf({ ports, target, profile, signal, onProgress }: Outside): CallOff {
  return new CallOff({
    net: ports.net,
    baseUrl: target.baseUrl,
    unavailableMs: unavailableAfterMs({ profile }),
    signal,
    onCalledOff({ sinceMs }) {
      const text = `nobody is answered since ${timeOf(sinceMs)}: the run is called off`;
      onProgress({ type: "progress", run: "gate", text });
    },
  });
}

/** A job is spent on it only where nothing else can tell, and webhooks are asked for. */
async function reachabilityOf(receiver: OpenReceiver, options: Outside): Promise<Reachability> {
  const asked = options.only ?? PROMISE_IDS;
  // A load asks for them with each of its jobs.
  const needed = asked.some((id) => ["webhook", "load"].includes(groupOf(id)));
  const reach = receiver.isSurelyReached ? "sure" : "unknown";
  const untried = {
    missing: receiver.missing,
    reach,
    spent: NOTHING_SPENT,
    estimate: null,
  } as const;
  if (receiver.access === null || receiver.isSurelyReached || !needed) return untried;
  const ended = started("receiver", options);
  try {
    const found = await tryReceiver({ ...options, receiver, price: priceOf(options) });
    ended("ended");
    return found;
  } catch (error) {
    if (!options.signal.aborted) throw error;
    ended("interrupted");
    return untried;
  }
}

/** Whether this machine can offer the load. It is offered all the same: the judges know better. */
async function examineMachine(plan: GatePlan, options: Run, { notes }: Collected): Promise<void> {
  if (options.signal.aborted) return;
  const shortfall = await tryMachine(plan, options);
  if (shortfall === null) return;
  const text = shortfallNote(shortfall);
  notes.push(text);
  options.onProgress({ type: "progress", run: "machine", text });
}

function priceOf({ price }: Outside): Price {
  return price ?? UNPRICED;
}

/**
 * Starts each step once those that it waits for have settled. A step that fails for a reason of
 * ours stops the others, which would run on unseen.
 */
async function runSteps(plan: GatePlan, options: Run, collected: Collected): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const settled = new Map<string, Promise<void>>();
  const ended = plan.steps.map(async (step) => {
    const waited = step.after.map((name) => settled.get(name));
    const { promise, resolve } = Promise.withResolvers<void>();
    settled.set(step.name, promise);
    try {
      await Promise.all(waited);
      await runStep(step, { ...options, signal }, collected, resolve);
    } catch (error) {
      failure.abort(error);
      throw error;
    } finally {
      resolve();
    }
  });
  await Promise.allSettled(ended);
  await Promise.all(ended);
}

/** Adds second runs where the first ones left doubts, and time and budget allow. */
async function askAgain(
  input: PlannedInput,
  options: Run,
  collected: Collected,
  head: RunHead,
): Promise<void> {
  const { ports, signal } = options;
  const seen = mergeInputOf(recordingOf(options, head, collected));
  const isOver = signal.aborted || options.callOff.calledOff !== null;
  const doubts = isOver ? [] : doubtsOf(seen);
  if (doubts.length === 0) return;
  const { runs, notes } = collected;
  const elapsedMs = ports.nowMs() - head.startedAtMs;
  const again = planAgain({ input, doubts, runs, elapsedMs });
  for (const name of again.left) notes.push(`${name}: no time or budget is left to repeat it`);
  if (again.plan.steps.length === 0) return;
  await ports.net.sleep(again.restMs, signal).catch(() => {});
  if (signal.aborted) return;
  await runSteps(again.plan, options, collected);
  for (const { scenario, again: asked } of runs) {
    if (asked !== null) notes.push(askedNote(scenario.name, doubts));
  }
}

function askedNote(name: string, doubts: readonly Doubt[]): string {
  const promises = doubts.find(({ scenario }) => scenario.name === name)?.promises ?? [];
  return `${name}: repeated for ${promises.join(", ")}, inconclusive at first`;
}

async function runStep(
  step: Step,
  options: Run,
  collected: Collected,
  settled: () => void,
): Promise<void> {
  if (step.kind === "witness") return runWitness(step, options, collected);
  const evidence = await runScenario(step, options, collected, settled);
  collected.runs.push(evidence);
  await options.ports.record?.(runLines(evidence));
}

async function runScenario(
  step: ScenarioStep,
  options: Run,
  { notes, jobs }: Collected,
  settled: () => void,
): Promise<ScenarioEvidence> {
  const { name, scenario, timeLimitMs } = step;
  const { callOff } = options;
  if (options.signal.aborted) return evidenceOfNothing(scenario, "interrupted");
  await callOff.known();
  if (callOff.calledOff !== null) return evidenceOfNothing(scenario, "called-off");
  const ended = started(name, options);
  const plan: RunPlan = { ...step.plan, submittedBefore: jobs.all() };
  // Metrics that are sent elsewhere tell the verdicts of k6 itself; nobody else asks for them.
  if (!options.remoteWrite) plan.isJudgedByReader = true;
  const submitting = jobs.begin(step);
  const caller = callerKey(plan, options.secrets);
  const run = await options.ports.runScenario({
    name,
    scenario,
    plan,
    secrets: options.secrets,
    timeLimitMs,
    signal: AbortSignal.any([options.signal, callOff.stop]),
    onRecord: (record) => {
      callOff.heard(record, caller);
      submitting(record);
      if (record.type === "settled") settled();
      if (record.type !== "progress") return;
      options.onProgress({ type: "progress", run: name, text: record.text });
    },
  });
  if (hasFailedToSend(run.stderrTail)) {
    notes.push(`${name}: metrics could not be sent to ${options.remoteWrite?.url}`);
  }
  const evidence = evidenceOf(step, run, callOff.stop.aborted && !options.signal.aborted);
  for (const finding of evidence.findings) {
    options.onProgress({ type: "finding", run: name, finding });
  }
  ended(evidence.outcome);
  return evidence;
}

async function runWitness(
  { witness, plan }: WitnessStep,
  options: Run,
  collected: Collected,
): Promise<void> {
  const { secrets, signal, onProgress, ports } = options;
  if (signal.aborted || options.callOff.calledOff !== null) return;
  const ended = started(witness.name, options);
  try {
    const records = collected.runs.flatMap((run) => run.records);
    const testimony = await testimonyOf(witness, {
      plan,
      secrets,
      signal,
      net: ports.net,
      jobs: submittedJobs(records),
      ended: endedJobs(records),
    });
    const { finding, notes, besides = [] } = testimony;
    collected.testimonies.push(testimony);
    collected.notes.push(...notes);
    await ports.record?.(lineOf({ type: "testimony", ...testimony }));
    for (const each of [finding, ...besides]) {
      onProgress({ type: "finding", run: witness.name, finding: each });
    }
    ended("ended");
  } catch (error) {
    if (!signal.aborted) throw error;
    ended("interrupted");
  }
}

/** Tells that a run has started; returns what to call at its end. */
function started(run: string, { onProgress, ports }: Outside): (outcome: RunOutcome) => void {
  const startedMs = ports.nowMs();
  onProgress({ type: "run-started", run });
  return (outcome) => {
    const seconds = (ports.nowMs() - startedMs) / 1000;
    onProgress({ type: "run-ended", run, outcome, seconds });
  };
}

function headOf(options: Run, plan: GatePlan, startedAtMs: number): RunHead {
  const { target, profile, seed, only, leftOut = [], k6 } = options;
  const { ceiling, planned, spent } = plan;
  return {
    type: "run",
    schemaVersion: EVIDENCE_SCHEMA_VERSION,
    profile,
    seed,
    startedAtMs,
    tool: { plumbline: packageVersion(), k6: k6.version, node: process.versions.node },
    target: targetHead(target),
    only,
    leftOut,
    nodePromises: NODE_WITNESSES.map((witness) => witness.promise),
    budget: { ceiling, planned },
    spent,
    plan: plan.plan,
  };
}

function recordingOf(options: Run, head: RunHead, collected: Collected): Recording {
  const { runs, testimonies, notes } = collected;
  const { calledOff } = options.callOff;
  const finishedAtMs = options.ports.nowMs();
  return {
    head,
    runs,
    testimonies,
    end: {
      finishedAtMs,
      interrupted: options.signal.aborted,
      notes,
      ...(calledOff === null ? {} : { calledOff }),
    },
  };
}

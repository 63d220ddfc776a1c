/** A gate from the first question to its report. */

import { randomBytes } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { MACHINE_GROUP } from "../../capacity/baseline/run-of.ts";
import { thisMachine } from "../../capacity/machine.ts";
import { nowMs } from "../../clock/system-clock.ts";
import type { Price } from "../../contract/limits/budget.ts";
import { NOTHING_SPENT } from "../../contract/limits/budget.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { NO_SERIES } from "../../contract/run/series.ts";
import type { Target } from "../../contract/target.ts";
import { targetHead } from "../../contract/target.ts";
import { redactor } from "../../contract/text/redact.ts";
import { messageOf } from "../../contract/text/thrown.ts";
import { unobserved } from "../../contract/verdict.ts";
import { budgetCeiling } from "../../gate/budget.ts";
import { runGate } from "../../gate/gate.ts";
import { buildReport } from "../../report/build-report.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { githubAnnotations, stepSummary, withoutCommands } from "../../report/github.ts";
import type { Report } from "../../report/model.ts";
import { prepareReportDirectory, writeReport } from "../../report/report-directory.ts";
import { renderTerminal } from "../../report/terminal.ts";
import { findK6 } from "../../runner/find-k6.ts";
import { packageVersion } from "../../runner/package-root.ts";
import type { RemoteWrite } from "../../runner/remote-write.ts";
import type { Context } from "../context.ts";
import { interfaceText } from "../files/interface-text.ts";
import { gateScenarios, machineScenario } from "../files/scenario-files.ts";
import { resultWriter } from "../output.ts";
import { keepHeapSmall } from "../small-heap.ts";
import type { GateSubject } from "../subject/subject.ts";
import { checkSubject } from "../subject/subject.ts";
import type { Labels } from "../values/labels.ts";
import type { Only } from "../values/option-reader.ts";
import { budgetLine, needsBudget, plannedLine, shortBudgetText } from "./budget-line.ts";
import type { Progress } from "./progress.ts";
import { createProgress } from "./progress.ts";
import { loadWarnings, publicUrlWarnings, warningLine } from "./warnings.ts";

export interface GateRequest extends Only {
  profile: RunPlan["profile"];
  seed: number;
  reportDirectory: string;
  remoteWrite: RemoteWrite | null;
}

interface Gate {
  /** How its result is told. */
  flags: { strict: boolean; verbose: boolean; json: boolean };
  request: GateRequest;
  labels: Labels;
  compare: (report: Report) => Report;
}

export async function runAndTell(
  { flags, request, labels, compare }: Gate,
  subject: GateSubject,
  context: Context,
): Promise<ExitCode> {
  const { output } = context;
  if (request.profile === "soak") needsBudget("the soak profile", subject.target);
  if (request.profile === "soak") keepHeapSmall();
  const warnings = [
    ...publicUrlWarnings(subject.target.webhook?.publicUrl ?? null),
    ...(request.profile === "soak" ? loadWarnings(subject.target) : []),
  ];
  for (const warning of warnings) output.say(warningLine(warning));
  const redact = redactor(subject.secrets.values());
  output.hide(redact);
  await prepareReportDirectory(request.reportDirectory);
  const progress = createProgress(output, context.signal);
  const result = await judge(request, subject, context, progress).finally(() => progress.end());
  const { strict, verbose, json } = flags;
  const traceUrl = subject.target.trace?.url ?? null;
  const report = compare(buildReport(withMachine(result), { strict, labels, redact, traceUrl }));
  const tell = resultWriter(output, json, report);
  const text = renderTerminal(report, { ...tell.style, verbose });
  // Told before it is written: a disk that is full by then takes no verdict away.
  await sayInCi(`\n${text}`, report, tell.write, context);
  await writeReport(request.reportDirectory, report, await interfaceText());
  tell.write(`report: ${request.reportDirectory}\n`);
  return report.exitCode;
}

/** With the machine that the load came from: figures of another one are not compared. */
function withMachine(result: RunResult): RunResult {
  const measurements = { ...result.measurements, [MACHINE_GROUP]: [{ ...thisMachine() }] };
  return { ...result, measurements };
}

/** A run that is interrupted before it began still leaves its report, marked as partial. */
async function judge(
  request: GateRequest,
  subject: GateSubject,
  context: Context,
  progress: Progress,
): Promise<RunResult> {
  const { environment, signal } = context;
  const startedAtMs = Math.round(nowMs());
  let k6 = { path: "", version: "" };
  const notes: string[] = [];
  try {
    const checked = await checkFirst(subject, signal, progress);
    const onProgress = (text: string) => progress.step(text);
    k6 = await findK6({ env: environment, onProgress, signal });
    await sleep(Math.max(0, checked.restedAtMs - nowMs()), undefined, { signal });
    const result = await runGate({
      target: { ...subject.target, workers: checked.workers },
      secrets: subject.secrets,
      profile: request.profile,
      only: request.only,
      leftOut: request.leftOut,
      seed: request.seed,
      outputDir: request.reportDirectory,
      remoteWrite: request.remoteWrite,
      k6,
      scenarios: gateScenarios(),
      machine: machineScenario(),
      signal,
      onProgress: (event) => progress.event(event),
      price: checked.price,
      onPlanned: (jobs, ofSuccess) => {
        const price = asUsual(checked.usualPrice, ofSuccess);
        const ceiling = budgetCeiling(subject.target);
        progress.step(plannedLine(jobs, price, ceiling));
        const short = shortBudgetText(jobs, price, ceiling);
        if (short === null) return;
        progress.step(`warning: ${short}`);
        notes.push(short);
      },
    });
    return { ...result, notes: [...checked.notes, ...notes, ...result.notes] };
  } catch (error) {
    if (!signal.aborted) throw error;
    const { target } = subject;
    return interruptedResult({ ...request, target, startedAtMs, k6: k6.version });
  }
}

/** A job of the part success may have told what the catalogue does not. */
function asUsual({ credits, usd }: Price, ofSuccess: Price): Price {
  return { credits: credits ?? ofSuccess.credits, usd: usd ?? ofSuccess.usd };
}

async function checkFirst(subject: GateSubject, signal: AbortSignal, progress: Progress) {
  const onProgress = (text: string) => progress.step(`preflight: ${text}`);
  const checked = await checkSubject(subject, signal, onProgress);
  const budget = budgetLine(subject.target, checked.usualPrice);
  if (budget !== null) onProgress(budget);
  return checked;
}

interface InterruptedRun {
  profile: RunPlan["profile"];
  only: readonly PromiseId[] | null;
  seed: number;
  target: Target;
  startedAtMs: number;
  /** Version of k6, empty where it was not found yet. */
  k6: string;
}

/** Of a run that was interrupted before it could look at anything. */
function interruptedResult(run: InterruptedRun): RunResult {
  return {
    profile: run.profile,
    seed: run.seed,
    startedAtMs: run.startedAtMs,
    finishedAtMs: Math.round(nowMs()),
    interrupted: true,
    tool: { plumbline: packageVersion(), k6: run.k6, node: process.versions.node },
    target: { ...targetHead(run.target), variant: null },
    findings: PROMISE_IDS.map((id) => unobserved(id, "the run was interrupted before it began")),
    only: run.only,
    measurements: {},
    series: NO_SERIES,
    notes: [],
    budget: { ceiling: run.target.budget, planned: NOTHING_SPENT, spent: NOTHING_SPENT },
  };
}

const TOKEN_BYTES = 16;

/**
 * Says the end of a run; in GitHub Actions, also annotations and the step summary. The runner reads
 * commands from both streams; text and annotations take the same one, as their order matters. A
 * summary that can't be written is told, and changes no verdict.
 */
async function sayInCi(
  text: string,
  report: Report,
  write: (text: string) => void,
  { environment, output }: Context,
): Promise<void> {
  if (environment.GITHUB_ACTIONS !== "true") {
    write(text);
    return;
  }
  write(withoutCommands(text, randomBytes(TOKEN_BYTES).toString("hex")));
  for (const line of githubAnnotations(report)) write(`${line}\n`);
  const file = environment.GITHUB_STEP_SUMMARY ?? "";
  if (file === "") return;
  await appendFile(file, stepSummary(report)).catch((error: unknown) => {
    const why = messageOf(error);
    output.say(`warning: cannot write GITHUB_STEP_SUMMARY (${why})\n`);
  });
}

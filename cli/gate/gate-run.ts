/** A gate from the first question to its report. */

import { setTimeout as sleep } from "node:timers/promises";

import { MACHINE_GROUP } from "../../capacity/baseline/run-of.ts";
import { thisMachine } from "../../capacity/machine.ts";
import { nowMs } from "../../clock/system-clock.ts";
import type { Price } from "../../contract/limits/budget.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { redactor } from "../../contract/text/redact.ts";
import { budgetCeiling } from "../../gate/budget.ts";
import { runGate } from "../../gate/gate.ts";
import { buildReport } from "../../report/build-report.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import type { Report } from "../../report/model.ts";
import { prepareReportDirectory, writeReport } from "../../report/report-directory.ts";
import { renderTerminal } from "../../report/terminal.ts";
import { findK6 } from "../../runner/find-k6.ts";
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
import { sayInCi } from "./ci-output.ts";
import { interruptedResult } from "./interrupted-result.ts";
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

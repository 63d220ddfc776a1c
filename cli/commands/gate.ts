/** `plumbline gate`: judges the promises of a target, or of the embedded service. */

import { setTimeout as sleep } from "node:timers/promises";

import { MACHINE_GROUP } from "../../capacity/baseline/run-of.ts";
import { thisMachine } from "../../capacity/machine.ts";
import { nowMs } from "../../clock/system-clock.ts";
import type { Price } from "../../contract/budget.ts";
import { redactor } from "../../contract/redact.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import type { RunResult } from "../../contract/run-result.ts";
import { budgetCeiling } from "../../gate/budget.ts";
import { buildReport } from "../../report/build-report.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { prepareReportDirectory, writeReport } from "../../report/report-directory.ts";
import { renderTerminal } from "../../report/terminal.ts";
import { findK6 } from "../../runner/find-k6.ts";
import type { RemoteWrite } from "../../runner/remote-write.ts";
import { openBaseline, readBaselineFlags } from "../baseline-comparison.ts";
import { budgetLine, needsBudget, plannedLine } from "../budget-line.ts";
import { sayInCi } from "../ci-output.ts";
import type { Context } from "../context.ts";
import type { GateSubject, SubjectFlags } from "../gate-subject.ts";
import { checkSubject, openSubject, readSubject } from "../gate-subject.ts";
import { interfaceText } from "../interface-text.ts";
import { interruptedResult } from "../interrupted-result.ts";
import { LABELS_OF_K6, readLabels } from "../labels.ts";
import type { Only } from "../options.ts";
import { OptionReader } from "../options.ts";
import { resultWriter } from "../output.ts";
import type { Progress } from "../progress.ts";
import { createProgress } from "../progress.ts";
import { readRemoteWrite } from "../remote-write.ts";
import { gateScenarios, machineScenario } from "../scenario-files.ts";
import { keepHeapSmall } from "../small-heap.ts";
import type { TraceFlag } from "../trace-option.ts";
import { readTrace, traced } from "../trace-option.ts";
import { publicUrlWarnings, warningLine } from "../warnings.ts";

export interface GateFlags extends SubjectFlags {
  profile: string;
  only?: string;
  report: string;
  baseline?: string;
  failOnRegression: boolean;
  strict: boolean;
  verbose: boolean;
  seed?: string;
  prometheusRw?: string;
  label: readonly string[];
  trace?: TraceFlag;
  json: boolean;
}

interface GateRequest extends Only {
  profile: RunPlan["profile"];
  seed: number;
  reportDirectory: string;
  remoteWrite: RemoteWrite | null;
}

export async function gateCommand(flags: GateFlags, context: Context): Promise<ExitCode> {
  const { output } = context;
  const options = new OptionReader();
  const trace = readTrace(flags.trace, options) ?? null;
  const labels = readLabels("--label", flags.label, LABELS_OF_K6, options);
  const request: GateRequest = {
    profile: options.profile(flags.profile),
    ...options.only(flags.only),
    seed: options.seed(flags.seed),
    reportDirectory: flags.report,
    remoteWrite: readRemoteWrite(flags.prometheusRw, options, labels),
  };
  const choose = readSubject(flags, request, options);
  const hold = readBaselineFlags(flags, options);
  options.finish();
  const compare = await openBaseline(hold);
  await using subject = traced(await openSubject(choose, context.environment), trace);
  if (request.profile === "soak") needsBudget("the soak profile", subject.target);
  if (request.profile === "soak") keepHeapSmall();
  for (const warning of publicUrlWarnings(subject.target.webhook?.publicUrl ?? null)) {
    output.say(warningLine(warning));
  }
  const redact = redactor(subject.secrets.values());
  output.hide(redact);
  await prepareReportDirectory(flags.report);
  const progress = createProgress(output, context.signal);
  const result = await judge(request, subject, context, progress).finally(() => progress.end());
  const report = compare(
    buildReport(withMachine(result), {
      strict: flags.strict,
      labels,
      redact,
      traceUrl: trace?.url ?? null,
    }),
  );
  const tell = resultWriter(output, flags.json, report);
  const text = renderTerminal(report, { ...tell.style, verbose: flags.verbose });
  // Told before it is written: a disk that is full by then takes no verdict away.
  await sayInCi(`\n${text}`, report, tell.write, context);
  await writeReport(flags.report, report, await interfaceText());
  tell.write(`report: ${flags.report}\n`);
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
  try {
    const checked = await checkFirst(subject, signal, progress);
    const onProgress = (text: string) => progress.step(text);
    k6 = await findK6({ env: environment, onProgress, signal });
    await sleep(Math.max(0, checked.restedAtMs - nowMs()), undefined, { signal });
    // Loaded now: what is wrong with a target file is told before.
    const { runGate } = await import("../../gate/gate.ts");
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
      onPlanned: (jobs, price) =>
        progress.step(
          plannedLine(jobs, asUsual(checked.usualPrice, price), budgetCeiling(subject.target)),
        ),
    });
    return { ...result, notes: [...checked.notes, ...result.notes] };
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

/** A search for the capacity from the first question to its report. */

import { setTimeout as sleep } from "node:timers/promises";
import { ceilingOf, findCapacity } from "../../capacity/find-capacity.ts";
import type { CapacityEvent, CapacityOptions } from "../../capacity/options.ts";
import { shortBudget, shortTime } from "../../capacity/time-wanted.ts";
import { findUnpaced } from "../../capacity/unpaced.ts";
import { nowMs } from "../../clock/system-clock.ts";
import type { Spent } from "../../contract/limits/budget.ts";
import { leftOf, NOTHING_SPENT } from "../../contract/limits/budget.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import { redactor } from "../../contract/text/redact.ts";
import { tryReceiver } from "../../gate/reachability.ts";
import type { OpenReceiver } from "../../gate/webhook-receiver.ts";
import { openReceiver } from "../../gate/webhook-receiver.ts";
import type { CapacityResult } from "../../report/capacity-model.ts";
import { renderCapacity } from "../../report/capacity-terminal.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { redactDeep } from "../../report/redact-deep.ts";
import { prepareReportDirectory, writeCapacity } from "../../report/report-directory.ts";
import { duration, figure } from "../../report/text.ts";
import { findK6 } from "../../runner/find-k6.ts";
import { scenarioScript } from "../../runner/scenario-script.ts";
import type { Context } from "../context.ts";
import { needsBudget } from "../gate/budget-line.ts";
import { resultWriter } from "../output.ts";
import type { GateSubject } from "../subject/subject.ts";
import { checkSubject } from "../subject/subject.ts";
import type { LoadedTarget } from "../target-file/target-file.ts";
import type { CapacityFlags, CapacityRequest } from "./request.ts";
import { chooseKeys, chooseWorker } from "./request.ts";

export async function searchAndTell(
  flags: CapacityFlags,
  request: CapacityRequest,
  subject: GateSubject,
  context: Context,
): Promise<ExitCode> {
  const { output, signal } = context;
  const { target, secrets } = subject;
  if (request.of === "jobs") needsBudget("capacity", target);
  const keys = chooseKeys(flags.keys, target);
  const worker = chooseWorker(request, target);
  const redact = redactor(secrets.values());
  output.hide(redact);
  await prepareReportDirectory(flags.report);
  const say = (text: string) => output.say(`${text}\n`);
  const workers = worker === null ? {} : { success: worker };
  const checked = { ...subject, target: { ...target, keys, workers } };
  const { restedAtMs } = await checkSubject(checked, signal, (text) => say(`preflight: ${text}`));
  const k6 = await findK6({ env: context.environment, onProgress: say, signal });
  const opened = await openReceiver(target, secrets);
  try {
    const { receiver, spent } = await reachable(opened, request.of, subject, signal);
    const options: CapacityOptions = {
      ...request,
      target,
      secrets: new Map([...secrets, ...opened.secrets]),
      worker,
      keys,
      budget: leftOf(target.budget, spent),
      calmMs: CALM_MS,
      receiver,
      k6,
      script: scenarioScript(request.of === "jobs" ? "capacity.ts" : "capacity-requests.ts"),
      outputDir: flags.report,
      signal,
      onEvent: (event) => say(eventText(event)),
    };
    for (const line of intentions(options)) say(line);
    await sleep(Math.max(0, restedAtMs - nowMs()), undefined, { signal }).catch(() => {});
    const { connectionsMax } = request;
    const result =
      connectionsMax === null
        ? await findCapacity(options)
        : await findUnpaced(options, connectionsMax);
    return await tell(redactDeep(result, redact), flags, context);
  } finally {
    await opened.close();
  }
}

/** Where webhooks are sure to arrive; a job is spent on it where only that can tell. */
async function reachable(
  opened: OpenReceiver,
  of: CapacityOptions["of"],
  { target, secrets }: LoadedTarget,
  signal: AbortSignal,
): Promise<{ receiver: CapacityOptions["receiver"]; spent: Spent }> {
  if (opened.isSurelyReached || of === "requests") {
    return { receiver: opened, spent: NOTHING_SPENT };
  }
  const { missing, spent } = await tryReceiver({ target, secrets, receiver: opened, signal });
  return { receiver: { access: missing === null ? opened.access : null, missing }, spent };
}

/** Ours: a machine that was busy a moment ago may be calm by then; longer each time. */
const CALM_MS = 2_000;

/** What is about to happen, before it does. */
function intentions(options: CapacityOptions): string[] {
  const { of, keys, worker, endpoint, timeMs, budget, receiver, beyondPlan } = options;
  const what = of === "jobs" ? `jobs of worker "${worker?.id}"` : `GET ${ROUTES[endpoint]}`;
  const names = keys.map(({ name }) => name).join(", ");
  const { rate, bound } = ceilingOf(options);
  const most = `${figure(rate)} a second`;
  const why = bound === "plan" ? "what the plans of the keys have room for" : "--max-rate";
  const jobs = Math.ceil((rate * timeMs) / 1_000);
  const cost = of === "jobs" ? `, ${Math.min(jobs, budget?.jobs ?? jobs)} jobs` : "";
  const missing = of === "jobs" ? receiver.missing : null;
  const short = of === "jobs" ? [shortTime(options, rate), shortBudget(options, rate)] : [];
  return [
    `capacity: ${what}, with ${keys.length === 1 ? "key" : "keys"} ${names}`,
    `at most ${duration(timeMs)}${cost}, and ${most} (${why})`,
    ...short.filter((line) => line !== null),
    ...(beyondPlan
      ? ["beyond plan: 429 responses do not slow it down, bursts are spent first"]
      : []),
    ...(missing === null ? [] : [`without webhooks, as ${missing}; jobs are asked for instead`]),
  ];
}

function eventText(event: CapacityEvent): string {
  if (event.type === "step-started") {
    return `${event.phase}: ${event.what} for ${duration(event.seconds * 1_000)}`;
  }
  if (event.type === "too-little") return `too little is left: ${event.text}`;
  const { outcome, failures, generator, achievedPerSecond } = event.step;
  const done = achievedPerSecond === null ? "" : `, ${figure(achievedPerSecond)} a second done`;
  const why = generator.doubt ?? failures[0]?.text;
  return `  ${outcome}${done}${why === undefined ? "" : `: ${why}`}`;
}

async function tell(
  result: CapacityResult,
  { report, json }: CapacityFlags,
  { output }: Context,
): Promise<ExitCode> {
  const { write, style } = resultWriter(output, json, result);
  write(`\n${renderCapacity(result, style)}`);
  await writeCapacity(report, result);
  write(`report: ${report}\n`);
  return result.exitCode;
}

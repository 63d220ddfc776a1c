/** Runs all cases side by side against one Prometheus, and says what each of them raised. */

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { AlertWatch } from "./alert-watch.ts";
import type { FaultCase, OpenFault } from "./fault-case.ts";
import { CANARY_MS, SPEED } from "./pace.ts";
import type { LivePrometheus, ScrapeTarget } from "./prometheus.ts";

/** Times in seconds at life's pace. */
export interface Raised {
  alert: string;
  severity: string;
  /** From the beginning of the fault; null: it never fired. */
  afterSeconds: number | null;
  withinSeconds: number;
  /** From the end of the fault; null: it never cleared. */
  clearedSeconds: number | null;
}

export interface CaseResult {
  case: FaultCase;
  raised: readonly Raised[];
  /** What the fault may raise, and did. */
  also: readonly string[];
  /** What nobody may be told of it. */
  wrong: readonly string[];
  /** Why the case could not be judged; null when it was. */
  trouble: string | null;
}

/** Ours: every canary has run a few times, and was scraped. */
const WARM_UP_MS = 4 * CANARY_MS;
/** Ours: after all is raised, what else comes is waited for: an evaluation, and one more. */
const AFTERMATH_MS = 3_000;
/** Ours: what a machine that does other things may add to each time, as it really passes. */
export const SLACK_MS = 5_000;
/** Always there: it speaks by its absence. */
const WATCHDOG = "PlumblineWatchdog";
/**
 * The worlds share one thread, and the machine with other work: that it is too busy is true of it,
 * and says nothing of a fault.
 */
const OF_THE_MACHINE = ["PlumblineProbeOverloaded"];

const lived = (ms: number) => Math.round((ms / 1_000) * SPEED);
const passing = (seconds: number) => (seconds * 1_000) / SPEED;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Stage {
  prometheus: LivePrometheus;
  watch: AlertWatch;
  folder: string;
  tell: (line: string) => void;
}

export async function runCases(
  cases: readonly FaultCase[],
  prometheus: LivePrometheus,
  folder: string,
  tell: (line: string) => void,
): Promise<readonly CaseResult[]> {
  const watch = new AlertWatch(prometheus);
  const opened: OpenFault[] = [];
  const hidden = new Set<string>();
  const targets: ScrapeTarget[] = [];
  const scrape = () =>
    prometheus.scrape(targets.filter(({ environment }) => !hidden.has(environment)));
  try {
    for (const each of cases) {
      const own = path.join(folder, each.id);
      await mkdir(own);
      const open = await each.open(own, async (hide) => {
        if (hide) hidden.add(each.id);
        else hidden.delete(each.id);
        await scrape();
      });
      opened.push(open);
      targets.push({ environment: each.id, address: open.address });
      await scrape();
    }
    await pause(WARM_UP_MS);
    const stage = { prometheus, watch, folder, tell };
    return await Promise.all(
      cases.map((each, at) => runCase(each, opened[at] as OpenFault, stage)),
    );
  } finally {
    await watch.close();
    for (const each of opened) await each.close().catch(() => {});
  }
}

async function runCase(each: FaultCase, open: OpenFault, stage: Stage): Promise<CaseResult> {
  const { watch, tell } = stage;
  const before = watch.firing(each.id).filter((alert) => !OF_THE_MACHINE.includes(alert));
  try {
    const beganMs = Date.now();
    await open.begin();
    const begunMs = Date.now();
    await allRaised(each, watch);
    await pause(Math.max(AFTERMATH_MS, begunMs + passing(each.lastsSeconds ?? 0) - Date.now()));
    await open.end();
    const endedMs = Date.now();
    await allClear(each, watch);
    const result = resultOf(each, watch, beganMs, endedMs);
    tell(`${each.id}: ${toldOf(result)}`);
    const trouble = before.length === 0 ? null : `fired before the fault: ${before.join(", ")}`;
    return { ...result, trouble };
  } catch (error) {
    const trouble = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell(`${each.id}: ${trouble}`);
    return { case: each, raised: [], also: [], wrong: [], trouble };
  }
}

function allRaised(each: FaultCase, watch: AlertWatch): Promise<boolean> {
  const longest = Math.max(0, ...each.raises.map(({ withinSeconds }) => withinSeconds));
  const has = (alert: string) => watch.firings(each.id).some((firing) => firing.alert === alert);
  const all = () => each.raises.every(({ alert }) => has(alert));
  return watch.until(all, passing(longest) + SLACK_MS);
}

function allClear(each: FaultCase, watch: AlertWatch): Promise<boolean> {
  const names = each.raises.map(({ alert }) => alert);
  const clear = () => watch.firing(each.id).every((alert) => !names.includes(alert));
  return watch.until(clear, passing(each.clearsSeconds) + SLACK_MS);
}

function resultOf(
  each: FaultCase,
  watch: AlertWatch,
  beganMs: number,
  endedMs: number,
): Omit<CaseResult, "trouble"> {
  const firings = watch.firings(each.id).filter(({ alert }) => alert !== WATCHDOG);
  const expected = new Set(each.raises.map(({ alert }) => alert));
  const raised = each.raises.map(({ alert, withinSeconds }) => {
    const own = firings.filter((firing) => firing.alert === alert);
    const first = own[0];
    const untilMs = own.some((firing) => firing.untilMs === null)
      ? null
      : Math.max(0, ...own.map((firing) => firing.untilMs ?? 0));
    return {
      alert,
      severity: first?.severity ?? "",
      afterSeconds: first === undefined ? null : lived(first.fromMs - beganMs),
      withinSeconds,
      clearedSeconds: first === undefined || untilMs === null ? null : lived(untilMs - endedMs),
    };
  });
  const others = [...new Set(firings.map(({ alert }) => alert))].filter((name) => {
    return !expected.has(name) && !OF_THE_MACHINE.includes(name);
  });
  const may = (name: string) => each.mayRaise?.includes(name) === true;
  const also = others.filter(may);
  return { case: each, raised, also, wrong: others.filter((name) => !may(name)) };
}

/** What is not as it should be, in sentences; none where all is. */
export function faultsOf({ raised, wrong, trouble }: CaseResult): readonly string[] {
  const slackSeconds = lived(SLACK_MS);
  return [
    ...(trouble === null ? [] : [trouble]),
    ...wrong.map((alert) => `${alert} fired; expected it to stay silent`),
    ...raised.flatMap(({ alert, afterSeconds, withinSeconds, clearedSeconds }) => {
      if (afterSeconds === null) return [`${alert} did not fire; expected it to`];
      const late = afterSeconds > withinSeconds + slackSeconds;
      const told = `${alert} fired after ${afterSeconds} s; expected ${withinSeconds} s at most`;
      return [
        ...(late ? [told] : []),
        ...(clearedSeconds === null ? [`${alert} did not clear; expected it to`] : []),
      ];
    }),
  ];
}

function toldOf(result: Omit<CaseResult, "trouble">): string {
  const raised = result.raised.map(
    ({ alert, afterSeconds, clearedSeconds }) =>
      `${alert} after ${afterSeconds} s, clear ${clearedSeconds} s`,
  );
  const wrong = result.wrong.map((alert) => `WRONG ${alert}`);
  return [...raised, ...wrong, ...result.also.map((alert) => `also ${alert}`)].join("; ") || "none";
}

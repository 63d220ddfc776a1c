/** What a case raised, held against what it was to raise. */

import type { Firing } from "./alert-watch.ts";
import type { FaultCase } from "./fault-case.ts";
import { lived, SCRAPE_MS, SLACK_MS } from "./pace.ts";

/** Times in seconds at life's pace. */
export interface Raised {
  alert: string;
  severity: string;
  /** Since the fault was there; null: it never fired. */
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
  /** The machine stood still meanwhile: what went wrong may be its doing. */
  isDisturbed: boolean;
}

interface Disturbance {
  /** The longest time for which this process stood still. */
  stalledMs: number;
  /** Whether the probe is part of this process. */
  isShared: boolean;
  /** Alerts that fired before the fault. */
  before: readonly string[];
}

/** Always there: it speaks by its absence. */
const WATCHDOG = "PlumblineWatchdog";
/** That the machine is too busy is true of the machine, and says nothing of a fault. */
const OVERLOADED = "PlumblineProbeOverloaded";
/** A probe within this process is only ever down where the process did not get to answer. */
const DOWN = "PlumblineProbeDown";
/** Ours: a scrape that was answered so late was missed. */
const STALL_MS = SCRAPE_MS;

export function resultOf(
  each: FaultCase,
  firings: readonly Firing[],
  { beganMs, endedMs }: { beganMs: number; endedMs: number },
  { stalledMs, isShared, before }: Disturbance,
): CaseResult {
  const expected = new Set(each.raises.map(({ alert }) => alert));
  const raised = each.raises.map(({ alert, withinSeconds }) => {
    const own = firings.filter((firing) => firing.alert === alert);
    return { alert, withinSeconds, ...timesOf(own, beganMs, endedMs) };
  });
  const ignored = [WATCHDOG, OVERLOADED];
  const names = [...new Set(firings.map(({ alert }) => alert))];
  const others = names.filter((name) => !expected.has(name) && !ignored.includes(name));
  const may = (name: string) => each.mayRaise?.includes(name) === true;
  const early = before.filter((alert) => !ignored.includes(alert));
  const isDown = isShared && others.includes(DOWN);
  return {
    case: each,
    raised,
    also: others.filter(may),
    wrong: others.filter((name) => !may(name)),
    trouble: early.length === 0 ? null : `fired before the fault: ${early.join(", ")}`,
    isDisturbed: isDown || stalledMs > STALL_MS || names.includes(OVERLOADED),
  };
}

function timesOf(own: readonly Firing[], beganMs: number, endedMs: number) {
  const [first] = own;
  if (first === undefined) return { severity: "", afterSeconds: null, clearedSeconds: null };
  const ends = own.map(({ untilMs }) => untilMs ?? Number.POSITIVE_INFINITY);
  const untilMs = Math.max(...ends);
  return {
    severity: first.severity,
    afterSeconds: lived(Math.max(0, first.fromMs - beganMs)),
    clearedSeconds: Number.isFinite(untilMs) ? lived(untilMs - endedMs) : null,
  };
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

/** A line for those who watch. */
export function toldOf(result: CaseResult): string {
  const raised = result.raised.map(
    ({ alert, afterSeconds, clearedSeconds }) =>
      `${alert} after ${afterSeconds} s, clear ${clearedSeconds} s`,
  );
  const parts = [
    ...raised,
    ...result.wrong.map((alert) => `WRONG ${alert}`),
    ...result.also.map((alert) => `also ${alert}`),
    ...(result.trouble === null ? [] : [result.trouble]),
    ...(result.isDisturbed ? ["the machine stood still"] : []),
  ];
  return parts.join("; ") || "none";
}

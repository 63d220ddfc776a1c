/** How a k6 run ended, read from what it left: only one that ended by itself can be believed. */

import { judgedAgain } from "../contract/judging/records.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunPlan } from "../contract/run/run-plan.ts";
import { shardProblem, shardsOf } from "../contract/run/shards.ts";
import type { Finding } from "../contract/verdict.ts";
import type { ScenarioRun } from "../runner/scenario-process.ts";
import type { GateScenario, RunOutcome } from "./options.ts";
import type { ScenarioStep } from "./plan.ts";

/** k6's exit codes for a run that came to its end: all well, or thresholds crossed. */
const COMPLETE_EXIT_CODES: readonly (number | null)[] = [0, 99];

const GONE = "as the service answered nobody any more";

/** One k6 run as the merging of evidence reads it. */
export interface ScenarioEvidence extends RecordedScenario {
  registered: ReadonlySet<PromiseId>;
  findings: readonly Finding[];
  /** With what was judged in Node in place of what k6 had judged. */
  records: readonly EvidenceRecord[];
}

/** What one k6 run has left, before it is judged. */
interface RecordedScenario {
  scenario: Pick<GateScenario, "name" | "promises">;
  outcome: RunOutcome;
  /** What went wrong, as the end of a sentence about the scenario; null for `ended`. */
  trouble: string | null;
  /** As they were read. */
  raw: readonly EvidenceRecord[];
  durationMs: number;
  /** What a second run was asked; null for the first one of its scenario. */
  again: readonly PromiseId[] | null;
}

export function evidenceOf(
  { scenario, plan, isAgain = false }: Pick<ScenarioStep, "scenario" | "plan" | "isAgain">,
  run: ScenarioRun,
  isCalledOff: boolean,
): ScenarioEvidence {
  const shards = shardsOf(scenario.name, plan);
  const missing = shards === 1 ? null : shardProblem(run.records, shards);
  const found = outcomeOf(run, missing);
  const outcome = found === "interrupted" && isCalledOff ? "called-off" : found;
  const isPart = outcome === "crashed" && missing !== null && !run.outgrown;
  const trouble = isPart ? missing : troubleOf(outcome, run);
  const { records: raw, durationMs } = run;
  const again = isAgain ? plan.promises : null;
  return judgedEvidence({ scenario, outcome, trouble, raw, durationMs, again }, plan);
}

/** Judged here, from what the run observed: its own findings were for those who watched it. */
export function judgedEvidence(recorded: RecordedScenario, plan: RunPlan): ScenarioEvidence {
  const { raw, again } = recorded;
  const records = judgedAgain(raw, again === null ? plan : { ...plan, promises: again });
  const registered = records.flatMap((each) => (each.type === "registered" ? each.promises : []));
  return {
    ...recorded,
    registered: new Set(registered),
    findings: records.flatMap((each) => (each.type === "finding" ? [each.finding] : [])),
    records,
  };
}

/** Evidence that never came to be: the run was not started before the end of all. */
export function evidenceOfNothing(
  scenario: GateScenario,
  outcome: "interrupted" | "called-off",
): ScenarioEvidence {
  const trouble = `was not started${outcome === "called-off" ? `, ${GONE}` : ""}`;
  const registered = new Set<PromiseId>();
  const times = { durationMs: 0, again: null };
  const nothing = { registered, findings: [], records: [], raw: [], ...times };
  return { scenario, outcome, trouble, ...nothing };
}

/** `missing`: what is wrong with the shards of a load, if anything is. */
function outcomeOf(run: ScenarioRun, missing: string | null): RunOutcome {
  if (run.interrupted) return "interrupted";
  if (run.timedOut || isOutOfTime(run)) return "timed-out";
  const ended = missing === null && run.records.some((each) => each.type === "ended");
  const complete = ended && run.dropped === 0 && COMPLETE_EXIT_CODES.includes(run.exitCode);
  return complete ? "ended" : "crashed";
}

/** What k6 says where it has ended a scenario that had gone on for as long as it may. */
const UNFINISHED = /no script iterations fully finished/i;

function isOutOfTime({ exitCode, records, stderrTail }: ScenarioRun): boolean {
  const isEnded = records.some((each) => each.type === "ended");
  return exitCode === 0 && !isEnded && UNFINISHED.test(stderrTail);
}

function troubleOf(outcome: RunOutcome, run: ScenarioRun): string | null {
  const seconds = (run.durationMs / 1000).toFixed(0);
  if (outcome === "ended") return null;
  if (outcome === "interrupted") return "was interrupted";
  if (outcome === "called-off") return `was stopped after ${seconds} s, ${GONE}`;
  if (run.timedOut) return `hung and was stopped after ${seconds} s`;
  if (outcome === "timed-out") return `was stopped after ${seconds} s, as its time was over`;
  if (run.outgrown)
    return `took all the memory that it may have after ${seconds} s, and was killed`;
  if (run.dropped > 0) return lostEvidenceText(run.dropped);
  const code = run.exitCode === null ? "a signal" : `exit code ${run.exitCode}`;
  const said = causeIn(run.stderrTail);
  return `died after ${seconds} s with ${code}${said === "" ? "" : `: ${said}`}`;
}

/** Ours: a stack trace's place is the log; its first line names the error. */
const CAUSE_CHARS_MAX = 300;

function causeIn(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const telling = lines.filter((line) => line !== "" && !line.startsWith("at "));
  return (telling.findLast((line) => /error|exception/i.test(line)) ?? telling.at(-1) ?? "").slice(
    0,
    CAUSE_CHARS_MAX,
  );
}

/** Of lines that a scenario has left as its evidence. */
export function lostEvidenceText(lines: number): string {
  return `left ${lines} lines of evidence that can't be read or are too long`;
}

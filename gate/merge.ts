/** Turns the evidence of all runs into one finding for each promise of the catalogue. */

import { mostOf } from "../contract/numbers/extremes.ts";
import type { PromiseId } from "../contract/promises.ts";
import { groupOf, PROMISE_IDS, promiseEntry } from "../contract/promises.ts";
import { lastingSince } from "../contract/requests/silence.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { Finding } from "../contract/verdict.ts";
import { inconclusive, mergeRuns, unobserved } from "../contract/verdict.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";

export interface MergeInput {
  only: readonly PromiseId[] | null;
  /** Of groups that were asked for: judged only when asked for by id. */
  leftOut: readonly PromiseId[];
  runs: readonly ScenarioEvidence[];
  /** Findings of the witnesses in Node. */
  testimonies: readonly Finding[];
  /** What else speaks against promises, of whichever scenario or witness. */
  besides: readonly Finding[];
  /** Promises that a witness in Node can look at in this version. */
  nodePromises: readonly PromiseId[];
  interrupted: boolean;
  /** Nobody was answered any more at its end; left out: it was not called off. */
  isCalledOff?: boolean;
}

/** One finding per promise, in the order of the catalogue. */
export function mergeEvidence(given: MergeInput): Finding[] {
  const input = { ...given, runs: asSeen(given) };
  return PROMISE_IDS.map((id) => {
    if (input.leftOut.includes(id)) return unobserved(id, leftOutOfGroup(id));
    if (input.only !== null && !input.only.includes(id)) return unobserved(id, "not asked for");
    return mergeRuns(findingsOn(id, input));
  });
}

/** With what scenarios that were asking yet have called broken, of a run that was called off. */
function asSeen({ runs, isCalledOff }: MergeInput): readonly ScenarioEvidence[] {
  if (isCalledOff !== true) return runs;
  return runs.map((run) => {
    const isIn = isInOutage(run) || !runs.some((other) => answeredToMs(other) > answeredToMs(run));
    return isIn ? { ...run, findings: run.findings.map(withoutOutage) } : run;
  });
}

function isInOutage({ outcome, raw }: ScenarioEvidence): boolean {
  const tellsOfIt = (record: EvidenceRecord) =>
    record.type === "unavailable" || (record.type === "silences" && lastingSince(record) !== null);
  return outcome !== "ended" || raw.some(tellsOfIt);
}

/** Who waits for webhooks alone asks for nothing: whether it met the outage, the next one tells. */
function answeredToMs({ raw }: ScenarioEvidence): number {
  const seen = raw.flatMap((each) => (each.type === "silences" ? each.answered : []));
  return mostOf(seen.map(([, toMs]) => toMs));
}

/**
 * What an outage fails are the operator's objectives, by each request in vain, and what a load
 * waits for to its end: no verdict.
 */
function withoutOutage(finding: Finding): Finding {
  const { promise, verdict, summary } = finding;
  const isFailed = promiseEntry(promise).basis === "objective" || promise === "load.webhooks";
  if (verdict !== "broken" || !isFailed) return finding;
  const reason = `nobody was answered any more: ${summary}`;
  return { ...finding, verdict: "inconclusive", reason, summary: reason };
}

/** Why a group's name did not ask for this promise of it, and what does. */
export function leftOutOfGroup(id: PromiseId): string {
  const why = `left out of the group ${groupOf(id)}, as another scenario judges it with many jobs`;
  return `${why}; ask for it by its id: --only ${groupOf(id)},${id}`;
}

/** At least one finding; each witness that the promise needs says something, or is missed. */
function findingsOn(id: PromiseId, input: MergeInput): Finding[] {
  const findings = promiseEntry(id).witnesses.flatMap((witness) =>
    witness === "node" ? nodeFindings(id, input) : scenarioFindings(id, input),
  );
  return [...findings, ...unasked(id, input)];
}

/** What others than those asked for it have seen of it, but for what they had no means to see. */
function unasked(id: PromiseId, { runs, besides }: MergeInput): Finding[] {
  const others = runs.filter(({ scenario }) => !scenario.promises.includes(id));
  const speaks = ({ verdict, inPassing }: Finding) =>
    inPassing === true || verdict === "broken" || verdict === "inconclusive";
  const seen = [...others.flatMap((run) => run.findings), ...besides];
  return seen.filter((each) => each.promise === id && speaks(each));
}

function nodeFindings(id: PromiseId, { testimonies, nodePromises, interrupted }: MergeInput) {
  const findings = testimonies.filter((each) => each.promise === id);
  if (findings.length > 0) return findings;
  if (!nodePromises.includes(id)) return [unobserved(id, "this version does not judge it yet")];
  return [unobserved(id, interrupted ? "interrupted" : "the check in Node did not run")];
}

function scenarioFindings(id: PromiseId, { runs, interrupted }: MergeInput): Finding[] {
  const own = runs.filter(({ scenario }) => scenario.promises.includes(id));
  if (own.length === 0) {
    // The evidence of a gate that was killed lacks the scenarios that had not ended.
    return [unobserved(id, interrupted ? "interrupted" : "this version does not judge it yet")];
  }
  return own.flatMap((run) => runFindings(id, run));
}

function runFindings(id: PromiseId, run: ScenarioEvidence): Finding[] {
  const findings = run.findings.filter((each) => each.promise === id);
  if (run.outcome === "ended") {
    return findings.length > 0 ? findings : [silence(id, run)];
  }
  if (run.outcome === "interrupted") {
    return findings.length > 0 ? findings : [unobserved(id, "interrupted")];
  }
  const reason = `scenario ${run.scenario.name} ${run.trouble ?? "did not end"}`;
  const beforeThat = findings.filter((each) => each.verdict === "broken");
  return beforeThat.length > 0 ? beforeThat : [inconclusive(id, reason)];
}

/** A run that ended well without a word on a promise; registered or not, that is no `kept`. */
function silence(id: PromiseId, { registered, scenario }: ScenarioEvidence): Finding {
  if (!registered.has(id)) return unobserved(id, `scenario ${scenario.name} did not take it on`);
  return inconclusive(id, `scenario ${scenario.name} ended without judging it`);
}

/** Turns what was judged into metrics, a verdict and a sentence each; nothing is measured here. */

import { EXIT } from "../../report/exit-codes.ts";
import { autocorrelationOf, deviationOf } from "../statistics/moments.ts";
import type { Judged } from "./decision.ts";
import type { Margins, Metric, MetricName } from "./metrics.ts";
import { METRICS } from "./metrics.ts";
import type { ComparisonReport, MetricReport } from "./model.ts";
import type { Block } from "./round.ts";
import { differenceOf, levelOf } from "./round.ts";

export interface AssessInput {
  rounds: readonly (readonly Block[])[];
  judged: readonly Judged<MetricName>[];
  margins: Margins;
  /** Jobs of a block, by which a missing percentile is explained. */
  jobsPerBlock: number;
  /** Why metrics without a claim have none, beside what their intervals say; null: nothing else. */
  cutShort: string | null;
  /** Why nothing is claimed, whatever the intervals say; null: they may speak. */
  withheld: string | null;
}

export function metricReports(input: AssessInput): MetricReport[] {
  const byName = new Map(input.judged.map((each) => [each.name, each]));
  return METRICS.map((metric) => metricReport(metric, byName.get(metric.name) ?? null, input));
}

function metricReport(
  metric: Metric,
  judged: Judged<MetricName> | null,
  input: AssessInput,
): MetricReport {
  const { rounds, margins } = input;
  const differences = rounds
    .map((round) => differenceOf(round, metric.name))
    .filter((each) => each !== null);
  const blocks = rounds.flat();
  return {
    name: metric.name,
    title: metric.title,
    unit: metric.unit,
    verdict: judged?.claim ?? "unknown",
    reason: judged?.claim == null ? reasonFor(metric, judged, input) : null,
    base: levelOf(blocks, "base", metric.name),
    candidate: levelOf(blocks, "candidate", metric.name),
    change: asChange(judged?.mean),
    low: asChange(judged?.interval.low),
    high: asChange(judged?.interval.high),
    margin: Math.expm1(judged?.margin ?? margins[metric.name]),
    rounds: judged?.rounds ?? 0,
    noise:
      differences.length < 2
        ? null
        : {
            deviation: deviationOf(differences),
            autocorrelation: autocorrelationOf(differences),
          },
  };
}

/** A share from its logarithm; null for what is not known or has no bound. */
function asChange(difference: number | undefined): number | null {
  if (difference === undefined || !Number.isFinite(difference)) return null;
  const change = Math.expm1(difference);
  return Number.isFinite(change) ? change : null;
}

function reasonFor(
  metric: Metric,
  judged: Judged<MetricName> | null,
  { rounds, jobsPerBlock, cutShort, withheld }: AssessInput,
): string {
  if (judged === null) {
    if (rounds.length === 0) return cutShort ?? "no block was completed";
    const isKnown = levelOf(rounds.flat(), "base", metric.name) !== null;
    if (isKnown)
      return withheld ?? cutShort ?? `${rounds.length} rounds are too few to tell the noise`;
    const what = `needs ${metric.samplesMin} samples a block; a block has ${jobsPerBlock} jobs`;
    return `${metric.name} ${what}: lengthen --block or raise --rate`;
  }
  if (withheld !== null) return withheld;
  const { low, high } = judged.interval;
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    return cutShort ?? "ended before its first poll";
  }
  const reach = "the interval reaches across the margin";
  return cutShort === null ? `${reach}; more blocks would narrow it` : `${reach}: ${cutShort}`;
}

export interface ComparisonVerdict {
  verdict: ComparisonReport["verdict"];
  reason: string;
  exitCode: ComparisonReport["exitCode"];
}

/** Worse in anything is worse; better only where nothing is left open. */
export function verdictOf(
  metrics: readonly MetricReport[],
  interrupted: boolean,
): ComparisonVerdict {
  const named = (verdict: MetricReport["verdict"]) =>
    metrics.filter((metric) => metric.verdict === verdict).map(({ name }) => name);
  const [worse, better, same] = [named("worse"), named("better"), named("same")];
  const judgable = metrics.filter(({ base, candidate }) => base !== null && candidate !== null);
  const open = judgable.filter(({ verdict }) => verdict === "unknown").map(({ name }) => name);
  const found = wordsOf({ worse, better, open, isEmpty: judgable.length === 0 });
  const verdict =
    worse.length > 0
      ? "worse"
      : open.length > 0 || judgable.length === 0
        ? "unknown"
        : better.length > 0
          ? "better"
          : "same";
  if (interrupted) return { verdict, reason: "interrupted", exitCode: EXIT.interrupted };
  const exitCode = { worse: EXIT.broken, unknown: EXIT.noVerdict, better: EXIT.ok, same: EXIT.ok };
  const reason = found ?? `the same within the margin in ${same.length} metrics`;
  return { verdict, reason, exitCode: exitCode[verdict] };
}

interface Words {
  worse: readonly string[];
  better: readonly string[];
  open: readonly string[];
  isEmpty: boolean;
}

function wordsOf({ worse, better, open, isEmpty }: Words): string | null {
  if (worse.length > 0) return `worse in ${worse.join(", ")}`;
  if (isEmpty) return "nothing was measured on both sides";
  if (open.length > 0) return `can't tell for ${open.join(", ")}`;
  return better.length > 0 ? `better in ${better.join(", ")}, worse in nothing` : null;
}

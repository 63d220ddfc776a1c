/** What a run measured, as lines of text; a figure of another shape is left to report.json. */

import { z } from "zod";
import { rounded } from "../contract/numbers/figures.ts";
import type { Json } from "../contract/verdict.ts";
import { baselineEntries } from "./baseline.ts";
import type { Report } from "./model.ts";
import { rateCells } from "./rate-table.ts";
import { aligned, duration, oneLine } from "./text.ts";

const timeoutMeasurement = z.object({
  worker: z.string(),
  limitMs: z.number(),
  timedOut: z.number(),
  overshootMs: z.object({ p50: z.number(), max: z.number() }).nullable(),
});

/** Null where nothing was counted, of which there are no quantiles. */
const distribution = z.object({ p50: z.number(), p99: z.number() }).nullish().catch(null);

const loadMeasurement = z.object({
  offered: z.number(),
  seconds: z.number(),
  /** Null where the run was too short to have a steady part. */
  throughput: z.number().nullable(),
  ended: z.number(),
  inFlight: z.number(),
  /** Null where no job ended. */
  requestsPerJob: z.number().nullable(),
  submitMs: distribution,
  queueWaitMs: distribution,
});

/** Limits of keys, which are rows of a table; run limits, load and the baseline in words. */
export function measuredLines(report: Report): { rows: string[]; sentences: string[] } {
  const { measurements } = report;
  const sentences = [
    ...fitting(measurements.timeout, timeoutMeasurement, timeoutLine),
    ...fitting(measurements.load, loadMeasurement, loadLine),
    ...baselineEntries(report).map(({ text }) => oneLine(`baseline: ${text}`)),
  ];
  return { rows: aligned(rateCells(measurements.rate ?? [])), sentences };
}

/** The same as figures by name, to be held against those of another run. */
export function measuredFigures({ measurements }: Report): Map<string, string> {
  const limits = rateCells(measurements.rate ?? []).flatMap(([key, sustained, burst, kind]) => [
    [`${key}: sustained`, sustained?.replace(/^rate /, "")],
    [`${key}: burst`, burst?.replace(/^burst /, "")],
    [`${key}: kind`, kind?.replace(/^kind /, "")],
  ]);
  const timeouts = fitted(measurements.timeout, timeoutMeasurement).flatMap((value) => [
    [`${value.worker}: overshoot p50`, value.overshootMs && duration(value.overshootMs.p50)],
    [`${value.worker}: overshoot max`, value.overshootMs && duration(value.overshootMs.max)],
  ]);
  const loads = fitted(measurements.load, loadMeasurement).flatMap((value) => [
    ["load: jobs offered", String(value.offered)],
    ["load: completed a second", value.throughput?.toFixed(2)],
    ...timeFigures("submit", value.submitMs),
    ...timeFigures("queue wait", value.queueWaitMs),
  ]);
  const figures = [...limits, ...timeouts, ...loads];
  return new Map(figures.flatMap(([name, text]) => (name && text ? [[name, text]] : [])));
}

function timeFigures(name: string, of: z.infer<typeof distribution>) {
  if (!of) return [];
  return [
    [`load: ${name} p50`, tenths(of.p50)],
    [`load: ${name} p99`, tenths(of.p99)],
  ];
}

function fitting<Value>(
  values: readonly Json[] | undefined,
  schema: z.ZodType<Value>,
  line: (value: Value) => string,
): string[] {
  return fitted(values, schema).map((value) => oneLine(line(value)));
}

function fitted<Value>(values: readonly Json[] | undefined, schema: z.ZodType<Value>): Value[] {
  return (values ?? []).flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}

/** "sleep-short: 12 jobs stopped at their limit of 400 ms, late by 1 ms (p50), 1 ms (max)". */
function timeoutLine(value: z.infer<typeof timeoutMeasurement>): string {
  const { worker, timedOut, limitMs, overshootMs } = value;
  const late =
    overshootMs === null
      ? ""
      : `, late by ${duration(overshootMs.p50)} (p50), ${duration(overshootMs.max)} (max)`;
  return `${worker}: ${timedOut} jobs stopped at their limit of ${duration(limitMs)}${late}`;
}

function tenths(ms: number): string {
  return duration(rounded(ms, 1));
}

/** "load: 300 jobs offered in 15 s, 300 ended, 0 in flight, 19.93 completed a second, ...". */
function loadLine(value: z.infer<typeof loadMeasurement>): string {
  const percentiles = (name: string, of: z.infer<typeof distribution>) =>
    of ? [`${name} ${tenths(of.p50)} (p50), ${tenths(of.p99)} (p99)`] : [];
  return [
    `load: ${value.offered} jobs offered in ${duration(value.seconds * 1_000)}`,
    `${value.ended} ended`,
    `${value.inFlight} in flight`,
    value.throughput === null
      ? "too short to tell what was completed a second"
      : `${value.throughput.toFixed(2)} completed a second`,
    ...percentiles("submit", value.submitMs),
    ...percentiles("queue wait", value.queueWaitMs),
    ...(value.requestsPerJob === null ? [] : [`${value.requestsPerJob.toFixed(1)} requests a job`]),
  ].join(", ");
}

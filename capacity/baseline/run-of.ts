/** What of a report goes into a baseline: its figures, and the circumstances they depend on. */

import { z } from "zod";
import { generatorDoubt, machineDoubt } from "../../contract/judges/load/generator.ts";
import type { Json } from "../../contract/verdict.ts";
import type { Report } from "../../report/model.ts";
import { machineSchema } from "../machine.ts";
import type { BaselineRun, Figure } from "./model.ts";

const distribution = z.object({
  count: z.number(),
  p50: z.number().optional(),
  p95: z.number().optional(),
  p99: z.number().optional(),
});

const generatorHealth = z.object({
  scheduled: z.number(),
  dropped: z.number(),
  lagP99Ms: z.number(),
  loopDelayP99Ms: z.number(),
  loopDelayMaxMs: z.number(),
});

const hostLag = z.object({
  wholeMs: z.number(),
  lastThirdMs: z.number(),
  runnablePerCore: z.number(),
});

const load = z.object({
  asked: z.number(),
  seconds: z.number(),
  completed: z.number(),
  throughput: z.number().nullable(),
  requests: z.number(),
  errors: z.record(z.string(), z.number()),
  submitMs: distribution,
  queueWaitMs: distribution,
  lifeMs: z.record(z.string(), distribution),
  keys: z.array(z.string()).optional(),
  jobsPerSecond: z.number().optional(),
  mix: z.array(z.object({ part: z.string(), weight: z.number(), worker: z.string() })).optional(),
  inputs: z.string().optional(),
  endsToldBy: z.string().optional(),
  generator: generatorHealth.optional(),
  hostLag: hostLag.optional(),
});

type Load = z.infer<typeof load>;

/** Reports of other versions may state more of it. */
const machine = z.object(machineSchema.shape);

/** Ours: a percentile with fewer than one sample beyond it is a single request's time. */
const SAMPLES_MIN = { p50: 5, p95: 20, p99: 100 } as const;
/** Group of a report's measurements with the machine that the run was made on. */
export const MACHINE_GROUP = "machine";

/**
 * Why its figures say more of this generator, or of its machine, than of the service; null: they
 * may be compared.
 */
export function doubtAbout(report: Report): string | null {
  const measured = first(report.measurements.load, load);
  if (measured === null) return null;
  const { generator, hostLag: lag } = measured;
  const doubt = generator === undefined ? null : generatorDoubt(generator);
  return doubt ?? (lag === undefined ? null : machineDoubt(lag));
}

/** The run with its figures, of which there may be none: then it can't be compared. */
export function runOf(report: Report): BaselineRun {
  const measured = first(report.measurements.load, load);
  const isDoubted = doubtAbout(report) !== null;
  return {
    startedAt: report.startedAt,
    seed: report.seed,
    verdict: report.verdict,
    circumstances: circumstancesOf(report),
    figures: measured === null || isDoubted ? [] : figuresOf(measured),
  };
}

function first<Value>(values: readonly Json[] | undefined, schema: z.ZodType<Value>): Value | null {
  const parsed = schema.safeParse(values?.[0]);
  return parsed.success ? parsed.data : null;
}

function circumstancesOf(report: Report): Record<string, string> {
  const { target, tool, profile, only } = report;
  const measured = first(report.measurements.load, load);
  const host = first(report.measurements[MACHINE_GROUP], machine);
  return {
    target: target.embedded ? "embedded reference service" : target.baseUrl,
    variant: target.variant ?? "unknown",
    "time scale": String(target.timeScale),
    profile,
    promises: only === null ? "all" : only.join(","),
    ...loadCircumstances(measured),
    plumbline: tool.plumbline,
    k6: tool.k6,
    node: tool.node.split(".")[0] ?? tool.node,
    platform: host === null ? "unknown" : `${host.platform} ${host.arch}`,
    processor: host?.processor ?? "unknown",
    cores: String(host?.cores ?? "unknown"),
  };
}

/** Figures depend on what was sent, to whom and by whose key, and on how the end was seen. */
function loadCircumstances(measured: Load | null): Record<string, string> {
  if (measured === null) return { load: "none" };
  const { asked, seconds, jobsPerSecond, keys, mix, inputs, endsToldBy } = measured;
  const parts = mix?.map(({ part, weight, worker }) => `${part} ${weight} of ${worker}`);
  return {
    load: `${asked} jobs/s for ${seconds} s`,
    offered:
      jobsPerSecond === undefined ? "unknown" : `${Number(jobsPerSecond.toPrecision(3))} jobs/s`,
    keys: keys?.toSorted().join(", ") ?? "unknown",
    mix: parts?.join(", ") ?? "unknown",
    inputs: inputs ?? "unknown",
    "ends told by": endsToldBy ?? "unknown",
  };
}

function figuresOf(measured: Load): Figure[] {
  const { throughput, completed, requests, errors } = measured;
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
  const rate: Figure[] =
    throughput === null
      ? []
      : [
          {
            name: "throughput",
            unit: "jobs/s",
            worse: "lower",
            value: throughput,
            samples: completed,
          },
        ];
  const share = { unit: "share", worse: "higher", value: failed / Math.max(1, requests) } as const;
  return [
    ...rate,
    { name: "errors", ...share, samples: requests },
    ...percentiles("submit", measured.submitMs),
    ...percentiles("queue wait", measured.queueWaitMs),
    ...percentiles("life of success jobs", measured.lifeMs.success),
  ];
}

function percentiles(name: string, values: z.infer<typeof distribution> | undefined): Figure[] {
  if (values === undefined) return [];
  return (["p50", "p95", "p99"] as const).flatMap((percentile): Figure[] => {
    const value = values[percentile];
    if (value === undefined || values.count < SAMPLES_MIN[percentile]) return [];
    const samples = values.count;
    return [{ name: `${name} ${percentile}`, unit: "ms", worse: "higher", value, samples }];
  });
}

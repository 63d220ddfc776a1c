/** What a probe holds over days of virtual time, as a table with its growth a day. */

import { exposedCollector } from "../../endurance/collector.ts";
import type { Layout, Sample } from "../../endurance/growth.ts";
import { growthTable, inMegabytes } from "../../endurance/growth.ts";
import type { HealthyHours } from "./healthy-hours.ts";
import { HOUR_MS, watchHealthy } from "./healthy-hours.ts";
import { samplesOf } from "./samples.ts";

/** Ours: with four samples a day, a week gives the growth 18 degrees of freedom. */
const SAMPLES_A_DAY = 4;
const DAY_HOURS = 24;
const DAY_MINUTES = 1_440;
const A_SERIES = /^[^#]/;

export async function watchGrowing(asked: HealthyHours): Promise<{
  table: string;
  runs: number;
  problems: readonly string[];
}> {
  const collect = exposedCollector();
  const samples: Sample[] = [];
  const everyMs = (DAY_HOURS / SAMPLES_A_DAY) * HOUR_MS;
  const { history, problems } = await watchHealthy({
    ...asked,
    sampling: {
      everyMs,
      take({ elapsedMs, metrics, journalBytes, pending }) {
        collect();
        const figures = {
          heap: inMegabytes(process.memoryUsage().heapUsed),
          journal: inMegabytes(journalBytes),
          "pending calls": pending,
          "metric series": samplesOf(metrics, A_SERIES).length,
        };
        samples.push({ minutes: elapsedMs / 60_000, figures });
      },
    },
  });
  return {
    table: growthTable(samples, layoutOf(asked.hours)),
    runs: history.runs.length,
    problems,
  };
}

function layoutOf(hours: number): Layout {
  const days = hours / DAY_HOURS;
  return {
    rows: Math.max(1, Math.round(days)),
    lows: Math.max(1, Math.floor(days * SAMPLES_A_DAY)),
    row: { name: "day", minutes: DAY_MINUTES },
    growth: { name: "a day", minutes: DAY_MINUTES },
    digits: 1,
  };
}

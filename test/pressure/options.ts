/** The arguments of `npm run pressure`. */

import { parseArgs } from "node:util";

export interface PressureOptions {
  gates: number;
  probes: number;
  probeMinutes: number;
  jobs: number;
  seed: number;
  /** Of the gates' service; the probes' runs in real time. */
  timeScale: number;
  /** Promises and groups that the gates judge; all of them: null. */
  only: string | null;
  /** Where reports, logs and the table go. */
  out: string;
}

/** Throws an error that names every argument that is none, and what was expected. */
export function readOptions(args: readonly string[]): PressureOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      gates: { type: "string", default: "20" },
      probes: { type: "string", default: "1" },
      "probe-minutes": { type: "string", default: "10" },
      jobs: { type: "string", default: "2" },
      seed: { type: "string", default: "1" },
      "time-scale": { type: "string", default: "0.05" },
      only: { type: "string" },
      out: { type: "string", default: ".plumbline/pressure" },
    },
  });
  const problems: string[] = [];
  const number = (name: Numeric, isFit: (value: number) => boolean, expected: string): number => {
    const value = Number(values[name]);
    if (!isFit(value)) problems.push(`--${name} ${values[name]}: expected ${expected}`);
    return value;
  };
  const count = (value: number) => Number.isInteger(value) && value >= 0;
  const some = (value: number) => count(value) && value > 0;
  const options = {
    gates: number("gates", count, "a number of runs, 0 or more"),
    probes: number("probes", count, "a number of runs, 0 or more"),
    probeMinutes: number("probe-minutes", (value) => value > 0, "a number of minutes above 0"),
    jobs: number("jobs", some, "a number of runs at a time, 1 or more"),
    seed: number("seed", count, "a whole number, 0 or more"),
    timeScale: number("time-scale", (value) => value > 0 && value <= 1, "a share up to 1"),
    only: values.only ?? null,
    out: values.out,
  };
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return options;
}

type Numeric = "gates" | "probes" | "probe-minutes" | "jobs" | "seed" | "time-scale";

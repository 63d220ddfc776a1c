/** Reads "queue-wait=99@10", an objective of latency as the command line states it. */

import { METRICS } from "../probe/metrics/catalogue.ts";
import type { LatencyName } from "./objectives.ts";
import { LATENCY_OBJECTIVES } from "./objectives.ts";
import type { LatencyTarget } from "./rules/options.ts";

const LATENCY_FORM = "NAME=PERCENT@SECONDS such as queue-wait=99@10";

export type LatencyReading =
  | { kind: "target"; name: LatencyName; target: LatencyTarget }
  | { kind: "problem"; problem: string };

/** Only a bucket's bound can be counted exactly; anything between two would be an estimate. */
export function readLatencyTarget(text: string): LatencyReading {
  const match = /^([a-z-]+)=(\d+(?:\.\d+)?)@(\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) return problem(`invalid value "${text}"; expected ${LATENCY_FORM}`);
  const [, name, percent, bound] = match;
  const [objective, seconds] = [Number(percent), Number(bound)];
  const slo = LATENCY_OBJECTIVES.find((each) => each.name === name);
  if (slo === undefined) {
    const names = LATENCY_OBJECTIVES.map((each) => each.name).join(", ");
    return problem(`unknown objective "${name}"; expected one of: ${names}`);
  }
  if (objective <= 0 || objective >= 100) {
    return problem(`${name}: invalid value ${percent} %; expected more than 0 and less than 100`);
  }
  const bounds = METRICS.find((each) => each.name === slo.metric)?.buckets ?? [];
  if (bounds.includes(seconds)) {
    return { kind: "target", name: slo.name, target: { objective, seconds } };
  }
  return problem(
    `${name}: ${bound} s is not a bucket's bound; expected one of: ${bounds.join(", ")}`,
  );
}

function problem(text: string): LatencyReading {
  return { kind: "problem", problem: text };
}

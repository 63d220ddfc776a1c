/** Rule tests of the alerts on error budgets, each with its own pair of windows alone. */

import type { ServiceObjective } from "../../../dashboards/objectives.ts";
import { SERVICE_OBJECTIVES } from "../../../dashboards/objectives.ts";
import type { Course, Courses } from "./healthy.ts";
import { at, events, TIMES, times } from "./healthy.ts";
import type { Rule, RuleCase } from "./rule-case.ts";

export interface BudgetCase extends RuleCase {
  slo: string;
  /** Such as "14.4 times in 1h and 5m". */
  burn: string;
  windows: readonly [long: string, short: string];
}

/** The alert on these windows, and what it reads. */
export function concerns({ slo, windows: [long, short] }: BudgetCase): (rule: Rule) => boolean {
  return ({ record, labels }) => {
    if (record === undefined) return labels?.slo === slo && labels.long_window === long;
    const isObjective = record.endsWith("slo_objective:ratio");
    if (isObjective) return labels?.slo === slo || labels?.slo === undefined;
    return labels?.slo === slo && [long, short].some((each) => record.match(`[a-z]${each}$`));
  };
}

/** Events once a minute, of which as many as told have been bad by a minute. */
function withBad({ name: slo }: ServiceObjective, bad: (minute: number) => number): Courses {
  const good: Course = (minute) => times(minute, 0) - bad(minute);
  if (slo in TIMES) {
    const [name, labels, bound] = TIMES[slo as keyof typeof TIMES];
    return { [at(`${name}_bucket`, `${labels}le="${bound}"`)]: good };
  }
  return { [events(slo, "good")]: good, [events(slo, "bad")]: bad };
}

const between = (from: number, to: number) => (minute: number) => times(minute, from, to);

/**
 * Ten minutes after a good hour: 14 % of 70 minutes against 7.2 % (14.4 times 0.5 %), or 20 against
 * 14.4 % (14.4 times 1 %). The short window of 5 minutes lets go first.
 */
export const OUTAGES: readonly BudgetCase[] = SERVICE_OBJECTIVES.map((slo) => ({
  alert: slo.alert,
  slo: slo.name,
  severity: "page",
  burn: "14.4 times in 1h and 5m",
  windows: ["1h", "5m"],
  everySeconds: 60,
  fires: {
    title: "a quarter of an hour of nothing but bad events",
    series: withBad(slo, between(60, 75)),
    minutes: { silent: 60, firing: 75, silentAgain: 82 },
  },
  nearMiss: {
    title: "two bad events, with which the hour is above the limit",
    series: withBad(slo, between(10, 12)),
    until: 40,
  },
}));

/** One bad event in so many, from the start until a minute. */
const oneIn = (count: number, to: number) => (minute: number) =>
  Math.floor(times(minute, 0, to) / count);

const HOUR = 60;

interface SlowBurn {
  burn: string;
  severity: "page" | "ticket";
  windows: readonly [long: string, short: string];
  /** One event in so many is bad: fires, and does not. */
  fires: number;
  silent: number;
  hours: number;
  /** How long after its end it has resolved. */
  hoursOver: number;
  everySeconds: number;
}

/** 8 times, 4 times and 1.7 times what the objective of 99.5 % allows, and just not 6, 3 and 1. */
const SLOW: readonly SlowBurn[] = [
  {
    burn: "6 times in 6h and 30m",
    severity: "page",
    windows: ["6h", "30m"],
    ...{ fires: 25, silent: 36, hours: 6, hoursOver: 1, everySeconds: 60 },
  },
  {
    burn: "3 times in 1d and 2h",
    severity: "ticket",
    windows: ["1d", "2h"],
    ...{ fires: 50, silent: 70, hours: 24, hoursOver: 3, everySeconds: 300 },
  },
  {
    burn: "1 time in 3d and 6h",
    severity: "ticket",
    windows: ["3d", "6h"],
    ...{ fires: 120, silent: 210, hours: 72, hoursOver: 7, everySeconds: 300 },
  },
];

function slowBurn(slo: ServiceObjective, burn: SlowBurn): BudgetCase {
  const until = burn.hours * HOUR;
  return {
    ...burn,
    alert: slo.alert,
    slo: slo.name,
    fires: {
      title: `one event in ${burn.fires} is bad for ${burn.hours} hours`,
      series: withBad(slo, oneIn(burn.fires, until)),
      minutes: { silent: 0, firing: until, silentAgain: until + burn.hoursOver * HOUR },
    },
    nearMiss: {
      title: `one event in ${burn.silent} is bad for as long`,
      series: withBad(slo, oneIn(burn.silent, until)),
      until,
    },
  };
}

/** Minutes of a young probe spend no budget of hours: it fires when its hours have. */
function ofYoungProbe(slo: ServiceObjective): BudgetCase {
  const begun: Courses = { [at("process_start_time_seconds")]: () => 0 };
  const until = (hours: number) => ({ ...withBad(slo, oneIn(25, hours * HOUR)), ...begun });
  return {
    alert: slo.alert,
    slo: slo.name,
    burn: "6 times in 6h and 30m of a probe that has just been started",
    severity: "page",
    windows: ["6h", "30m"],
    everySeconds: 60,
    fires: {
      title: "one event in 25 is bad for its first five hours and a half",
      series: until(5.5),
      minutes: { silent: 4 * HOUR, firing: 5.5 * HOUR, silentAgain: 6.5 * HOUR },
    },
    nearMiss: {
      title: "one event in 25 is bad for its first four hours",
      series: until(4),
      until: 6 * HOUR,
    },
  };
}

export const SLOW_BURNS: readonly BudgetCase[] = SERVICE_OBJECTIVES.filter(
  ({ name }) => name === "canary-success",
).flatMap((slo) => [...SLOW.map((burn) => slowBurn(slo, burn)), ofYoungProbe(slo)]);

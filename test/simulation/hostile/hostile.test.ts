/**
 * Gate and probe against a service whose answers are spoilt: both end and judge, and the probe
 * neither repeats a key nor lets an answer name a series.
 */

import { describe, expect, it } from "vitest";
import { PROMISE_IDS } from "../../../contract/promises.ts";
import { createKeys } from "../../../reference/accounts/keys.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { findingOf } from "../../contract/findings.ts";
import { drawnCases } from "../../drawn-cases.ts";
import { deepResults } from "./deep-results.ts";
import { hostileAnswers } from "./hostile-answers.ts";

/** How many answers there are to each that is spoilt. */
const ONE_IN = [3, 25] as const;
const CASES = (["A", "B"] as const).flatMap((variant, at) =>
  ONE_IN.map((oneOf, number) => [variant, oneOf, 1 + at * ONE_IN.length + number] as const),
);
const HALF_AN_HOUR_MS = 1_800_000;

/** What a programme says that took a value for another. */
const MUDDLED = /\bundefined\b|\[object |TypeError|Infinity/;

function settingOf(variant: "A" | "B", oneOf: number, seed: number) {
  const service = { variant, seed, faults: [hostileAnswers(oneOf).name] };
  return { seed, service, otherFaults: [hostileAnswers(oneOf)] };
}

describe.each(drawnCases("spoilt", CASES, 2))(
  "of the variant %s, one answer in %i spoilt",
  (variant, oneOf, seed) => {
    const setting = settingOf(variant, oneOf, seed);
    it(
      covers("a gate ends with a verdict on each promise", "19 gate", "20 gate", "21 gate"),
      async () => {
        const result = await simulateGate({ ...setting, profile: "quick" });
        expect(result.findings.map(({ promise }) => promise)).toEqual(PROMISE_IDS);
        expect(result.findings.filter(({ summary }) => MUDDLED.test(summary))).toEqual([]);
        expect(result.findings.some(({ verdict }) => verdict === "broken")).toBe(true);
      },
    );

    it(
      covers("a probe goes on, with series of its own naming", "46 probe", "47 probe"),
      async () => {
        const { log, runs, lastMetrics } = await simulateProbe({
          ...setting,
          durationMs: HALF_AN_HOUR_MS,
        });
        expect(runs.length).toBeGreaterThan(10);
        expect(runs.filter(({ phase }) => phase !== "settled")).toEqual([]);
        expect(log.filter((line) => MUDDLED.test(JSON.stringify(line)))).toEqual([]);
        const told = `${lastMetrics} ${JSON.stringify(log)}`;
        expect(createKeys(seed).filter(({ value }) => told.includes(value))).toEqual([]);
        const values = [...lastMetrics.matchAll(/\w+="((?:[^"\\]|\\.)*)"/g)].map(
          ([, value]) => value,
        );
        expect(values.filter((value) => !/^[\w.+/{}-]+$/.test(value ?? ""))).toEqual([]);
      },
    );
  },
);

describe.each(drawnCases("deep", ["A", "B"] as const, 2))(
  "a gate of the variant %s whose results nest deeply",
  (variant) => {
    const judged = async (levels: number) => {
      const fault = deepResults(levels);
      const service = { variant, seed: 1, faults: [fault.name] };
      const run = { seed: 1, service, otherFaults: [fault], profile: "quick" } as const;
      const { findings } = await simulateGate(run);
      expect(findings.map(({ promise }) => promise)).toEqual(PROMISE_IDS);
      return findings.filter(({ verdict }) => verdict === "broken" || verdict === "inconclusive");
    };

    it(covers("judges all that it reads", "19 gate"), async () => {
      expect(await judged(490)).toEqual([]);
    });

    it(covers("says what it does not read, and calls nothing broken", "19 gate"), async () => {
      const doubts = await judged(20_000);
      expect(doubts.filter(({ verdict }) => verdict === "broken")).toEqual([]);
      const lost = findingOf(doubts, "job.never-lost");
      expect(lost.summary).toContain("nests deeper than 500 levels");
    });
  },
);

it(covers("no answer reaches the prototype of all objects", "20 probe", "20 gate"), () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect("polluted" in {}).toBe(false);
});

/** The rate judges against every kind of limiter, in virtual time. */

import { describe, expect, it } from "vitest";
import { brokenIn, judgedSustained, verdicts } from "./judged.ts";
import type { Deployment } from "./simulated-trial.ts";
import { FREE, KINDS, PRO, simulateTrial } from "./simulated-trial.ts";

describe("every lawful limiter keeps every rate promise, at any phase", () => {
  for (const kind of KINDS) {
    for (const promised of [FREE, PRO]) {
      it(`${kind} at ${promised.sustained}/s`, () => {
        for (let seed = 1; seed <= 25; seed++) {
          const found = verdicts(simulateTrial({ kind, actual: promised, promised, seed }));
          expect({ seed, found: new Set(Object.values(found)) }).toEqual({
            seed,
            found: new Set(["kept"]),
          });
        }
      });
    }
  }
});

describe("a limiter that counts refused requests is never called broken", () => {
  for (const kind of ["sliding-log", "sliding-counter", "token-bucket"] as const) {
    it(kind, () => {
      for (let seed = 1; seed <= 25; seed++) {
        const deployment = { kind, actual: FREE, promised: FREE, refusedCount: true, seed };
        expect(brokenIn(deployment)).toEqual([]);
      }
    });
  }
});

describe("quantities just outside the tolerance break their own promise alone", () => {
  const cases: readonly [string, Partial<Deployment["actual"]>, string[]][] = [
    ["8 % over", { sustained: 10.8 }, ["rate.sustained"]],
    ["8 % under", { sustained: 9.2 }, ["rate.sustained"]],
    ["4 % over", { sustained: 10.4 }, []],
    ["4 % under", { sustained: 9.6 }, []],
    ["burst of 23", { burst: 23 }, ["rate.burst"]],
    ["burst of 17", { burst: 17 }, ["rate.burst"]],
    ["burst of 19", { burst: 19 }, ["rate.burst"]],
    ["burst of 21, as nginx admits", { burst: 21 }, []],
  ];
  for (const [name, change, expected] of cases) {
    it(name, () => {
      const actual = { ...FREE, ...change };
      expect(brokenIn({ kind: "token-bucket", actual, promised: FREE })).toEqual(expected);
    });
  }
});

describe("a bucket 8 % off", () => {
  for (const share of [1.08, 0.92]) {
    for (const promised of [FREE, PRO]) {
      it(`${share} of ${promised.sustained}/s is told at any phase`, () => {
        for (let seed = 1; seed <= 25; seed++) {
          const actual = { ...promised, sustained: promised.sustained * share };
          const trial = simulateTrial({ kind: "token-bucket", actual, promised, seed });
          const { verdict } = judgedSustained(trial);
          expect({ seed, verdict }).toEqual({ seed, verdict: "broken" });
        }
      });
    }
  }
});

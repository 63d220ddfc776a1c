/**
 * The healthy service is never called broken, whatever it chooses where the spec leaves it open:
 * every lawful value is in one of a few services, of both variants in turn, with real k6. All
 * values in both are judged by `npm run healthy`; that each promise is seen to be kept,
 * `test/simulation/healthy-choices.test.ts` says, where no machine is too busy to tell.
 */

import { afterAll, describe, expect, it } from "vitest";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import { CHOICE_NAMES, CHOICES } from "../../reference/choices.ts";
import { openJudges } from "../kill-matrix/judges.ts";
import { RATE_KEYS } from "../kill-matrix/real/keys.ts";
import { mixedChoices, mixesInTurn, singleChoices } from "./conditions.ts";

/** Ours: all begin at once and wait for their turn. */
const TIMEOUT_MS = 1_200_000;
/** Ours: as many as leave the processor idle half of the time. */
const JOBS = 3;
/** Two pairs whose limits are measured, and who plays the other roles. */
const KEYS = [...RATE_KEYS, "free-c", "old", "broke"];
/** The load hangs on none of the choices, and takes longest. */
const JUDGED = PROMISE_IDS.filter((id) => groupOf(id) !== "load" && id !== "timeout.under-load");

describe("the mixed services", () => {
  const all = [
    { title: "in variant A", mixes: mixedChoices("A") },
    { title: "in variant B", mixes: mixedChoices("B") },
    { title: "in turn", mixes: mixesInTurn() },
  ];
  it.each(all)("have every value of every choice $title", ({ mixes }) => {
    for (const name of CHOICE_NAMES) {
      const seen = new Set(mixes.map(({ choices }) => choices[name]));
      expect(seen).toEqual(new Set(CHOICES[name].values));
    }
  });

  it("stand for single choices, one a value that is not the default", () => {
    const others = CHOICE_NAMES.flatMap((name) => CHOICES[name].values.slice(1));
    expect(singleChoices("A")).toHaveLength(others.length);
  });
});

describe.concurrent("a healthy service", () => {
  const judges = openJudges("real", JOBS);
  afterAll(() => judges.close());
  for (const run of mixesInTurn()) {
    const title = `is not called broken: variant ${run.variant}, ${run.name}`;
    it(title, { timeout: TIMEOUT_MS }, async ({ expect }) => {
      const { variant, choices, seed } = run;
      const condition = { variant, choices, seed, only: JUDGED, keys: KEYS };
      const { result, error } = await judges.judge(condition);
      expect(error).toBeNull();
      const findings = result?.findings ?? [];
      const broken = findings.filter(({ verdict }) => verdict === "broken");
      expect(broken.map(({ promise, summary }) => `${promise}: ${summary}`)).toEqual([]);
    });
  }
});

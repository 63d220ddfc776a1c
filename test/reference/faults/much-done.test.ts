/** Faults that begin after many jobs do so within a load on a scaled clock, as real k6 runs it. */

import { expect, it } from "vitest";
import { groupOf } from "../../../contract/promises.ts";
import { MUCH_DONE_FAULTS } from "../../../reference/faults/much-done.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { drawnCases } from "../../drawn-cases.ts";
import { complaints, groupPromises } from "../../kill-matrix/expectation.ts";
import { TIME_SCALE } from "../../kill-matrix/real/judge-service.ts";
import { RATE_KEYS } from "../../kill-matrix/real/keys.ts";

const AFTER_MANY_JOBS = MUCH_DONE_FAULTS.filter(
  ({ name }) => name.endsWith("after-many-jobs") || name.endsWith("stands-still"),
);

it("there are such faults", () => {
  expect(AFTER_MANY_JOBS.length).toBeGreaterThan(10);
});

it.each(drawnCases("much done", AFTER_MANY_JOBS, 2))(
  "$name shows in a short load of the keys that real k6 loads",
  async (fault) => {
    const { findings } = await simulateGate({
      seed: 1,
      profile: "quick",
      only: groupPromises(fault),
      service: { variant: "A", faults: [fault.name], timeScale: TIME_SCALE },
      target: (target) => ({
        ...target,
        keys: target.keys.filter(
          ({ name }) => groupOf(fault.promise) !== "rate" || RATE_KEYS.includes(name),
        ),
      }),
    });
    expect(complaints(fault, findings)).toEqual([]);
  },
);

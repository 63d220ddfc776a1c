/** How long a soak waits for charges, by its profile and by how far apart they were booked. */

import { expect, it } from "vitest";
import { settlingOf } from "../../../scenarios/soak/settling.ts";
import { LOAD_PLAN } from "../../contract/judges/load/shares.ts";

/** Seconds of a service whose time is not scaled. */
function settling(profile: "quick" | "standard" | "soak", isPatient: boolean) {
  const { times } = LOAD_PLAN;
  return settlingOf({ profile, times, ...(isPatient ? { isPatient } : {}) });
}

it.each([
  ["quick", false, { restMs: 0, beforeMs: 12_000, lateUnitMs: 0, isHasty: true, mostMs: 12_000 }],
  ["standard", false, { restMs: 0, beforeMs: 70_000, lateUnitMs: 80_000, mostMs: 290_000 }],
  ["soak", false, { restMs: 0, beforeMs: 70_000, lateUnitMs: 80_000, mostMs: 470_000 }],
  ["quick", true, { restMs: 80_000, beforeMs: 0, isHasty: false, mostMs: 312_000 }],
  ["soak", true, { restMs: 80_000, beforeMs: 0, lateUnitMs: 0, mostMs: 610_000 }],
] as const)("%s, patient: %s", (profile, isPatient, waits) => {
  expect(settling(profile, isPatient)).toMatchObject(waits);
});

it.each([
  ["at once", "soak", 2_000, 60_000, [20_000, 70_000]],
  ["each 30 s", "quick", 30_000, 60_000, [40_000, 70_000]],
  ["each 90 s", "standard", 90_000, 600_000, [100_000, 100_000]],
  ["each 90 s", "quick", 90_000, 600_000, [70_000, 70_000]],
  ["nobody knows how often", "quick", null, 15_000, [70_000, 70_000]],
  ["nobody knows how often", "standard", null, 100_000, [110_000, 110_000]],
  ["nobody knows how often", "soak", null, 600_000, [310_000, 310_000]],
] as const)("booked %s, %s", (_, profile, everyMs, loadMs, [leastMs, mostMs]) => {
  expect(settling(profile, false).after(everyMs, loadMs)).toEqual({ leastMs, mostMs });
});

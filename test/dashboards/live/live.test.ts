/**
 * A real Prometheus on real probes: every fault raises its alerts and no others, and every panel of
 * every board has data in the meantime. `npm run alerts:live` writes what it sees to the docs.
 */

import { expect, it } from "vitest";
import { tell } from "../../program.ts";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import { faultsOf } from "./case-result.ts";
import { CASES } from "./cases.ts";
import { runLive } from "./run-live.ts";

/** Ours: several times what it takes on two idle cores. */
const TIME_MS = 1_200_000;
/** Ours: of all cases, so many may be spoilt twice by a machine that stood still. */
const DISTURBED_MAX = 2;

it(
  "faults raise their alerts in time and no others, they clear, and all boards have their data",
  async () => {
    const folder = await temporaryFolder();
    const { results, wrongBoards } = await runLive(CASES, { folder, withBoards: true, tell });
    expect(wrongBoards).toEqual([]);
    expect(results).toHaveLength(CASES.length);
    // A case that was repeated for a machine that stood still, and went wrong again, counts.
    const wrong = results.filter((each) => faultsOf(each).length > 0);
    const said = wrong.map((each) => `${each.case.id}: ${faultsOf(each).join("; ")}`);
    const undisturbed = wrong.filter(({ isDisturbed }) => !isDisturbed);
    expect(
      undisturbed.map(({ case: { id } }) => id),
      said.join("\n"),
    ).toEqual([]);
    expect(wrong.length, said.join("\n")).toBeLessThanOrEqual(DISTURBED_MAX);
  },
  TIME_MS,
);

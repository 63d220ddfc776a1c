/**
 * A real Prometheus on real probes: every fault raises its alerts and no others, and every panel of
 * every board has data in the meantime. `npm run alerts:live` writes what it sees to the docs.
 */

import { expect, it } from "vitest";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import { faultsOf } from "./case-result.ts";
import { CASES } from "./cases.ts";
import { runLive } from "./run-live.ts";

/** Ours: several times what it takes on two idle cores. */
const TIME_MS = 1_200_000;

it(
  "faults raise their alerts in time and no others, they clear, and all boards have their data",
  async () => {
    const folder = await temporaryFolder();
    const tell = (line: string) => void process.stderr.write(`${line}\n`);
    const { results, wrongBoards } = await runLive(CASES, { folder, withBoards: true, tell });
    expect(wrongBoards).toEqual([]);
    // Of a case during which the machine stood still, each time anew, nothing can be told.
    const told = results.filter((each) => !each.isDisturbed || faultsOf(each).length === 0);
    const faults = told.map((each) => [each.case.id, faultsOf(each)]);
    expect(faults).toEqual(told.map((each) => [each.case.id, []]));
    expect(told.length).toBeGreaterThan(CASES.length / 2);
  },
  TIME_MS,
);

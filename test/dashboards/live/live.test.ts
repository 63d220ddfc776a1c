/**
 * A real Prometheus on real probes: faults raise their alerts and no others. Here those whose
 * alerts come and go within minutes; `npm run alerts:live` tries all, and looks at the boards.
 */

import { expect, it } from "vitest";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import { faultsOf } from "./case-result.ts";
import { CASES } from "./cases.ts";
import type { FaultCase } from "./fault-case.ts";
import { runLive } from "./run-live.ts";

/** Ours: alerts that look back an hour would take three minutes more. */
const SECONDS_MAX = 1_500;
/** Ours: several times what it takes on two idle cores. */
const TIME_MS = 900_000;

function secondsOf({ raises, lastsSeconds = 0, clearsSeconds }: FaultCase): number {
  const raised = raises.map(({ withinSeconds }) => withinSeconds);
  return Math.max(lastsSeconds, ...raised) + clearsSeconds;
}

it(
  "faults raise their alerts in time and no others, and they clear",
  async () => {
    const cases = CASES.filter((each) => secondsOf(each) <= SECONDS_MAX);
    const folder = await temporaryFolder();
    const tell = (line: string) => void process.stderr.write(`${line}\n`);
    const { results } = await runLive(cases, { folder, withBoards: false, tell });
    // Of a case during which the machine stood still, each time anew, nothing can be told.
    const told = results.filter((each) => !each.isDisturbed || faultsOf(each).length === 0);
    const faults = told.map((each) => [each.case.id, faultsOf(each)]);
    expect(faults).toEqual(told.map((each) => [each.case.id, []]));
    expect(told.length).toBeGreaterThan(cases.length / 2);
  },
  TIME_MS,
);

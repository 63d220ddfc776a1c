/** A real Prometheus on real probes: each fault raises its alerts, and boards have their data. */

import { expect, it } from "vitest";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import { CASES } from "./cases.ts";
import { runLive } from "./run-live.ts";

/** Ours: several times what it takes on two idle cores, and a build of Prometheus before. */
const TIME_MS = 2_400_000;

it(
  "every fault raises its alerts in time and no other, they clear; every panel has its data",
  async () => {
    const folder = await temporaryFolder();
    const tell = (line: string) => void process.stderr.write(`${line}\n`);
    const { wrong } = await runLive(CASES, { folder, withBoards: true, tell });
    expect(wrong).toEqual([]);
  },
  TIME_MS,
);

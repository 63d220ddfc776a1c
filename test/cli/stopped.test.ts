/** A gate of which parts stand still in mid-run, as on a machine that is moved or suspended. */

import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { reportSchema } from "../../report/model.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { processes } from "../endurance/growth.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const LIMIT_MS = 600_000;

/** Ours: longer than the limits of runs, and than what is tolerated of times, in a quick run. */
const STANDSTILL_MS = 3_000;

interface Row {
  only: string;
  /** Told while scenarios have more to do: each a moment to stand still at. */
  inMidRun: readonly RegExp[];
  /** Whether the gate stands still as well, with the service and the receiver in it. */
  whole: boolean;
}

async function gateThatStands({ only, inMidRun, whole }: Row) {
  await using folder = await temporaryFolder();
  const standstills: Promise<number>[] = [];
  const args = ["gate", "--only", only, "--seed", "7", "--report", folder.path, "--json"];
  const run = await runCli(args, {
    onStderr: (text, { pid = 0 }) => {
      const due = inMidRun.filter((marker) => marker.test(text)).length;
      while (due > standstills.length) standstills.push(standStill(pid, whole));
    },
  });
  expect([0, 111], run.stderr).toContain(run.exitCode);
  const report = reportSchema.parse(JSON.parse(run.stdout));
  return { ...report, standstills: await Promise.all(standstills) };
}

/** How many processes stood still: k6, and the gate where it is to. */
async function standStill(gate: number, whole: boolean): Promise<number> {
  const all = await processes();
  const k6 = all.filter(({ parent, command }) => parent === gate && command === "k6");
  const stopped = [...(whole ? [gate] : []), ...k6.map(({ pid }) => pid)];
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  await wait(STANDSTILL_MS).finally(() => {
    for (const pid of stopped) process.kill(pid, "SIGCONT");
  });
  return stopped.length;
}

describe.concurrent("a gate that is stopped for seconds and goes on", { timeout: LIMIT_MS }, () => {
  it(
    covers("does not call broken what its k6 missed meanwhile, but inconclusive", "39 gate"),
    async () => {
      const { promises, standstills, notes } = await gateThatStands({
        only: "timeout,load",
        inMidRun: [/timeout: timeouts:/, /soak: [4-9] of 12 s/],
        whole: false,
      });
      expect(standstills).toEqual([1, 1]);
      expect(promises.filter(({ verdict }) => verdict === "broken")).toEqual([]);
      expect(notes.join()).toMatch(
        /soak: (repeated for .*load.throughput|no time or budget is left)/,
      );
    },
  );

  it(covers("does not call broken the waits that stood still with it", "39 gate"), async () => {
    const { promises, standstills } = await gateThatStands({
      only: "webhook.wait-1,webhook.wait-2",
      inMidRun: [/webhook: \d+ jobs submitted/, /webhook: first deliveries/],
      whole: true,
    });
    expect(standstills).toEqual([2, 2]);
    expect(promises.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  });
});

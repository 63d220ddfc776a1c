/** Ceilings on what nobody has stated a price of: one job shows it, and no second one before. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Price, Spent } from "../../../contract/limits/budget.ts";
import { NOTHING_SPENT } from "../../../contract/limits/budget.ts";
import type { Budget } from "../../../contract/run/run-plan.ts";
import { canariesOf } from "../../../probe/canary/canary.ts";
import { ceilingsOf, refusalOf } from "../../../probe/journal/budget.ts";
import { embeddedTarget } from "../../../reference/embedded-target.ts";
import { BASE_TARGET, PROBE_PLAN } from "../../gate/base-target.ts";
import { canary, open } from "../open-probe.ts";
import { folder } from "./open-journal.ts";

const UNKNOWN: Price = { credits: null, usd: null };
const NONE: Budget = { jobs: null, credits: null, usd: null };
const CREDITS: Budget = { ...NONE, credits: 5 };

describe("without a budget", () => {
  const HOUR_MS = 3_600_000;
  const NOON_MS = Date.UTC(2026, 0, 10, 12);
  const target = { ...BASE_TARGET, canaries: [canary("success", { everyMs: HOUR_MS })] };
  /** Jobs of the day, where canaries came into use at noon. A run an hour, plus 20 %, is 28.8. */
  const jobsOf = (spentByNoon: number, nowMs: number) => {
    const spent = { ...NOTHING_SPENT, jobs: spentByNoon };
    const start = { atMs: NOON_MS, spent: { day: spent, month: spent } };
    return ceilingsOf(target, canariesOf(target), start, nowMs).day?.jobs;
  };

  it.each([
    ["what these canaries may have spent is no other's", 14, 0, 29],
    ["what is left for these is no less for what others spent", 1_440, 0, 1_455],
    ["the next day is theirs alone", 1_440, 12 * HOUR_MS, 29],
  ])("%s", (_, spentByNoon, laterMs, jobs) => {
    expect(jobsOf(spentByNoon, NOON_MS + laterMs)).toBe(jobs);
  });

  it("canaries that a reload makes rarer go on", async () => {
    const { probe, service } = await open({
      canaries: [canary("empty", { everyMs: 8 * HOUR_MS })],
    });
    for (let run = 0; run < 3; run += 1) await probe.once();
    const rare = [canary("empty", { everyMs: 24 * HOUR_MS })];
    probe.reload({ ...embeddedTarget(service).target, canaries: rare });
    expect((await probe.once()).get("empty")).toMatchObject({ outcome: "success" });
  });

  it("a restart allows no more than there was before it", async () => {
    const { path: stateDir } = await folder();
    // Three runs a day, plus 20 %, are four.
    const given = { canaries: [canary("empty", { everyMs: 8 * HOUR_MS })], stateDir };
    const first = await open(given);
    for (let run = 0; run < 4; run += 1) {
      expect((await first.probe.once()).get("empty")).toMatchObject({ outcome: "success" });
    }
    expect((await first.probe.once()).get("empty")).toBeNull();
    await first.probe.close(0);
    const { probe } = await open(given);
    expect((await probe.once()).get("empty")).toBeNull();
  });
});

describe("a worker without a price", () => {
  it.each([
    ["is submitted once", CREDITS, UNKNOWN, 0, 0, null],
    ["waits for what the first one cost", CREDITS, UNKNOWN, 1, 0, "price in credits is not known"],
    ["is not submitted when nothing is left", CREDITS, UNKNOWN, 0, 5, "the budget is 5"],
    ["needs none where jobs alone are counted", { ...NONE, jobs: 9 }, UNKNOWN, 1, 0, null],
    ["is known once one unit has a price", CREDITS, { credits: null, usd: 1 }, 1, 0, null],
  ] as [string, Budget, Price, number, number, string | null][])(
    "%s",
    (_, day, price, unpriced, credits, why) => {
      const spent: Spent = { ...NOTHING_SPENT, credits };
      const ceilings = { day, month: null };
      const told = refusalOf(ceilings, { day: spent, month: spent }, price, () => unpriced);
      if (why === null) expect(told).toBeNull();
      else expect(told).toContain(why);
    },
  );
});

it("a ceiling is reached to the last job, whatever binary fractions make of prices", () => {
  const ceilings = { day: { ...NONE, usd: 0.3 }, month: null };
  const spent = { ...NOTHING_SPENT, usd: 0.1 + 0.1 };
  const told = (usd: number) =>
    refusalOf(ceilings, { day: spent, month: spent }, { credits: null, usd }, () => 0);
  expect(told(0.1)).toBeNull();
  expect(told(0.11)).toContain("the budget is 0.3");
});

it("a probe submits no second job before the first has stated its cost", async () => {
  const { probe, sample } = await open({
    reference: { variant: "A", timeScale: 0.05 },
    canaries: [canary("success")],
    target: {
      probe: { ...PROBE_PLAN, budget: { day: { ...NONE, credits: 50 }, month: null } },
    },
  });
  const runs = await Promise.all([probe.once(), probe.once()]);
  expect(runs.map((each) => each.get("success")?.outcome ?? null).sort()).toEqual(
    [null, "success"].sort(),
  );
  expect(await sample(/_skipped_total.*reason="budget"/)).toBe(1);
  expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
});

it("runs that begin together all know the prices that are advertised", async () => {
  const budget = { day: { ...NONE, usd: 0.000_001 }, month: null };
  const plan = { ...PROBE_PLAN, budget };
  const canaries = [canary("success"), canary("list"), canary("slow")];
  const { probe, sample } = await open({ canaries, target: { probe: plan } });
  expect([...(await probe.once()).values()]).toEqual([null, null, null]);
  expect(await sample(/_skipped_total.*reason="budget"/)).toBe(3);
});

describe("where nobody knows what was spent", () => {
  const budget = { day: { ...NONE, jobs: 100 }, month: null };
  const plan = { ...PROBE_PLAN, budget };
  const canaries = [canary("success")];

  async function lostState(): Promise<string> {
    const { path } = await folder();
    for (const name of ["probe.db", "probe.db-spent"]) writeFileSync(join(path, name), "spoilt");
    return path;
  }

  it("no canary is submitted; page, log and gauge say so", async () => {
    const given = { canaries, target: { probe: plan }, stateDir: await lostState() };
    const { probe, sample } = await open(given);
    expect([...(await probe.once()).values()]).toEqual([null]);
    expect(await sample(/_skipped_total.*reason="budget"/)).toBe(1);
    expect(await sample(/plumbline_budget_left.*span="day",unit="jobs"/)).toBe(0);
    const page = await (await fetch(`${probe.address}/`)).text();
    expect(page).toContain("the budget counts as spent: the journal can");
    expect(page).toContain("--accept-unknown-spending");
  });

  it("it goes on once a person accepts that", async () => {
    const given = { canaries, target: { probe: plan }, stateDir: await lostState() };
    const { probe } = await open({ ...given, acceptUnknownSpending: true });
    expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
  });

  it("it goes on where nobody set a ceiling", async () => {
    const { probe } = await open({ canaries, stateDir: await lostState() });
    expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
  });
});

/** What holds of a soak whatever happens to it: its ledger, its pace, its budget and its feed. */

import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../../../contract/run/evidence.ts";
import type { LoadSeries } from "../../../contract/run/series.ts";
import { findingOf } from "../../contract/findings.ts";
import type { Mishaps } from "./history.ts";
import { historyOf, planOf } from "./history.ts";

const NONE: Mishaps = {
  ...{ lostAnswers: 0, slowAnswers: 0, unsent: 0, refusals: 0, repeats: 0, lostJobs: 0 },
  ...{ twice: 0, never: 0, forged: 0, deafness: 0, stuck: 0, endless: 0 },
  ...{ unshown: 0, unshownMs: 0 },
};
const ALL: Mishaps = {
  ...{
    lostAnswers: 0.1,
    slowAnswers: 0.1,
    unsent: 0.05,
    refusals: 0.05,
    repeats: 0.05,
    lostJobs: 0.05,
  },
  ...{ twice: 0.1, never: 0.1, forged: 0.1, deafness: 0.1, stuck: 0.05, endless: 0.05 },
  ...{ unshown: 0, unshownMs: 0 },
};
const SEEDS = Array.from({ length: 8 }, (_, at) => at + 1);
const PLENTY = 1_000;
const PLAN = { sustained: 50, burst: 10 };

const KINDS = [
  ["no mishap", NONE],
  ["answers that are lost", { ...NONE, lostAnswers: 0.2 }],
  ["answers that come after their job's end", { ...NONE, slowAnswers: 0.5 }],
  ["submissions that are not sent", { ...NONE, unsent: 0.2 }],
  ["refusals", { ...NONE, refusals: 0.1 }],
  ["identifiers that are issued again", { ...NONE, repeats: 0.2 }],
  ["webhooks twice and never", { ...NONE, twice: 0.2, never: 0.2 }],
  ["webhooks that may be anybody's", { ...NONE, forged: 0.2 }],
  ["a receiver that fails", { ...NONE, deafness: 0.3 }],
  ["a receiver that is gone", { ...NONE, deafness: 1 }],
  ["jobs that are lost", { ...NONE, lostJobs: 0.1 }],
  ["jobs that stand in the queue for ever", { ...NONE, stuck: 0.1 }],
  ["jobs that run for ever", { ...NONE, endless: 0.1 }],
  ["all of it", ALL],
] as const;

/** Jobs under way at the least, by the plotted series. */
function leastBacklog(records: readonly EvidenceRecord[]): number {
  const shown = records.flatMap((each) => (each.type === "series" ? [each] : []));
  return Math.min(...shown.flatMap(({ value }) => (value as LoadSeries).backlog.map(Number)));
}

const count = (value: unknown) => Number(value);

/** Whether a bucket of the plan would ever have run dry. */
function isWithinPlan(requestsMs: readonly number[]): boolean {
  let [tokens, lastMs] = [PLAN.burst, Number.NEGATIVE_INFINITY];
  return requestsMs.every((ms) => {
    tokens = Math.min(PLAN.burst, tokens + ((ms - lastMs) / 1_000) * PLAN.sustained) - 1;
    lastMs = ms;
    return tokens >= 0;
  });
}

/** Ours: the submissions, the drain, last polls, turns and the polls after them, on quick. */
const TOOK_MS_MAX = 2_000 + 45_000 + 60_000 + 45_000 + 30_000;

const WAYS = KINDS.flatMap(([kind, mishaps]) => [
  [`${kind}, told by webhooks`, mishaps, true] as const,
  [`${kind}, asked for alone`, mishaps, false] as const,
]);

describe.each(WAYS)("a soak with %s", (_kind, mishaps, hears) => {
  it.each(SEEDS)("keeps its ledger, its pace and its word: seed %i", async (seed) => {
    const { submissions, requestsMs, measured, records, tookMs } = await historyOf(
      seed,
      planOf(20, PLENTY, hears),
      mishaps,
    );
    const [accepted, ended] = [count(measured.accepted), count(measured.ended)];
    expect(accepted).toBe(ended + count(measured.inFlight) + count(measured.lost));
    expect(new Set(submissions.map(({ token }) => token)).size).toBe(submissions.length);
    const began = submissions.filter((each) => each.began).length;
    expect(accepted).toBeLessThanOrEqual(began);
    const lost = submissions.filter(({ isLost }) => isLost).length;
    const stands = submissions.filter((each) => each.stands).length;
    expect(count(measured.lost)).toBeLessThanOrEqual(lost + stands);
    if (mishaps.lostAnswers === 0) {
      expect(accepted).toBe(began);
      expect(count(measured.lost)).toBeGreaterThanOrEqual(lost);
      expect(ended).toBe(began - lost - stands);
    }
    expect(leastBacklog(records)).toBeGreaterThanOrEqual(0);
    expect(tookMs).toBeLessThanOrEqual(TOOK_MS_MAX);
    expect(isWithinPlan(requestsMs)).toBe(true);
    if (hears && mishaps === NONE) {
      expect(requestsMs.length).toBeLessThanOrEqual(3 * submissions.length);
    }
  });
});

describe("a soak of which some webhooks may be anybody's", () => {
  it.each(SEEDS)("counts none of them, and holds none against it: seed %i", async (seed) => {
    const { records } = await historyOf(seed, planOf(20, PLENTY), { ...NONE, forged: 0.2 });
    const found = records.flatMap((each) => (each.type === "finding" ? [each.finding] : []));
    expect(findingOf(found, "load.webhooks")).toMatchObject({
      verdict: "inconclusive",
      reason: expect.stringMatching(/without a valid signature.*see webhook\.signed/),
    });
  });
});

describe("a soak of which polls don't show some ends", () => {
  const said = async (seed: number, unshownMs: number) => {
    const mishaps = { ...NONE, unshown: 0.2, unshownMs };
    const plan = planOf(20, PLENTY);
    const promises = [...plan.promises, "webhook.truthful"] as const;
    const { records } = await historyOf(seed, { ...plan, promises }, mishaps);
    const found = records.flatMap((each) => (each.type === "finding" ? [each.finding] : []));
    return found.filter(({ verdict }) => verdict === "broken");
  };

  it.each(SEEDS)("finds webhooks untrue that told them: seed %i", async (seed) => {
    expect(await said(seed, Number.POSITIVE_INFINITY)).toMatchObject([
      { promise: "webhook.truthful", summary: expect.stringMatching(/s later it is RUNNING/) },
    ]);
  });

  it.each(SEEDS)("finds nothing where they show them 4 s later: seed %i", async (seed) => {
    expect(await said(seed, 4_000)).toEqual([]);
  });

  it.each(SEEDS)("finds nothing where they show them 25 s later: seed %i", async (seed) => {
    expect(await said(seed, 25_000)).toEqual([]);
  });
});

describe("a machine that has no descriptors left now and then", () => {
  it.each(SEEDS)("offers what it sends, and spends no job on the rest: seed %i", async (seed) => {
    const mishaps = { ...NONE, unsent: 0.3 };
    const { submissions, measured, records } = await historyOf(seed, planOf(20, PLENTY), mishaps);
    const { length } = submissions;
    expect(length).toBeLessThan(40);
    expect(measured).toMatchObject({ offered: length, ambiguous: { submissions: 0 } });
    expect(records).toContainEqual(expect.objectContaining({ type: "spent", jobs: length }));
  });
});

describe("a budget", () => {
  it.each(SEEDS)("of a few jobs is never crossed, and told: seed %i", async (seed) => {
    const { submissions, records } = await historyOf(seed, planOf(10, 4 + seed), NONE);
    expect(submissions).toHaveLength(4 + seed);
    expect(records).toContainEqual(expect.objectContaining({ type: "spent", jobs: 4 + seed }));
  });
});

/** By how much faults and near misses deviate; the promised figures stand here as literals. */

import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../reference/hooks.ts";
import { totalMicroUsd } from "../../../reference/jobs/job.ts";
import { aJob, aKey, hooksOf } from "./hooks-of.ts";

const FREE = { sustained: 10, burst: 20 };
const PRO = { sustained: 50, burst: 100 };

describe("rate limits", () => {
  it.each([
    ["rate.sustained/8-percent-over", 10.8, 20, 54, 100],
    ["rate.sustained/8-percent-under", 9.2, 20, 46, 100],
    ["rate.sustained/50-percent-over", 15, 20, 75, 100],
    ["rate.sustained/15-percent-under", 8.5, 20, 42.5, 100],
    ["rate.sustained/5-percent-over", 10.5, 20, 52.5, 100],
    ["rate.sustained/near-3-percent-under", 9.7, 20, 48.5, 100],
    ["rate.sustained/near-4-percent-over", 10.4, 20, 52, 100],
    ["rate.sustained/near-4-percent-under", 9.6, 20, 48, 100],
    ["rate.burst/3-short", 10, 17, 50, 97],
    ["rate.burst/3-over", 10, 23, 50, 103],
    ["rate.burst/near-1-over", 10, 21, 50, 101],
  ])("%s: free %d/%d, pro %d/%d", (name, freeRate, freeBurst, proRate, proBurst) => {
    const { limit } = hooksOf(name);
    const free = limit(FREE, aKey(FREE));
    const pro = limit(PRO, aKey(PRO));
    expect(free.sustained).toBeCloseTo(freeRate, 9);
    expect(pro.sustained).toBeCloseTo(proRate, 9);
    expect([free.burst, pro.burst]).toEqual([freeBurst, proBurst]);
  });

  it.each([
    ["rate.retry-after-sufficient/zero", 1, 0],
    ["rate.retry-after-not-excessive/12-s-too-long", 1, 13],
    ["rate.retry-after-not-excessive/near-5-s-too-long", 1, 6],
  ])("%s tells %d s as %d s", (name, honest, told) => {
    expect(hooksOf(name).retryAfterSeconds(honest, aKey(FREE))).toBe(told);
  });

  it("refuses 1 request in 50 at any pace", () => {
    const { decision } = hooksOf("rate.within-plan/false-429");
    const request = {} as Parameters<typeof decision>[2];
    const admit = (n: number) =>
      decision({ admitted: true, waitMs: 0 }, aKey(FREE), request, 1_000 + n);
    const made = Array.from({ length: 5_000 }, (_, n) => admit(n));
    const refusals = made.filter(({ admitted }) => !admitted).length;
    expect(Math.abs(refusals - 100)).toBeLessThan(40);
  });

  it("shuts a key out until 0.7 s after the wait that it was told", () => {
    const { decision } = hooksOf("rate.retry-after-sufficient/first-refused");
    const request = {} as Parameters<typeof decision>[2];
    const isAdmitted = (nowMs: number, admitted = true) =>
      decision({ admitted, waitMs: admitted ? 0 : 300 }, aKey(FREE), request, nowMs).admitted;
    expect(isAdmitted(0)).toBe(true);
    expect(isAdmitted(10, false)).toBe(false);
    expect(isAdmitted(1_709)).toBe(false);
    expect(isAdmitted(1_710)).toBe(true);
  });
});

describe("run limits of 20 s", () => {
  it.each([
    ["timeout.not-early/1-s-early", 19_000],
    ["timeout.not-early/15-percent-early", 17_000],
    ["timeout.not-early/near-0.1-s-early", 19_900],
    ["timeout.not-late/3-s-late", 23_000],
    ["timeout.not-late/25-percent-late", 25_000],
    ["timeout.not-late/near-1-s-late", 21_000],
    ["timeout.fires/runs-on", Number.POSITIVE_INFINITY],
  ])("%s stops a job after %d ms", (name, expectedMs) => {
    const job = aJob("sleep-short", "running");
    expect(hooksOf(name).limitMs(20_000, job)).toBeCloseTo(expectedMs, 6);
    expect(hooksOf(name, 0.02).limitMs(400, job)).toBeCloseTo(expectedMs * 0.02, 6);
  });

  it("cost 1 % of the price, on the job or on the balance alone", () => {
    const job = aJob("sleep-short", "timeout");
    const free = { runMicroUsd: 0, infraMicroUsd: 0 };
    expect(totalMicroUsd(hooksOf("timeout.free/1-percent").cost(free, job))).toBe(100);
    expect(hooksOf("timeout.free/on-the-balance").charge(0, job)).toBe(100);
    const completed = aJob("echo", "completed");
    expect(hooksOf("timeout.free/1-percent").cost(free, completed)).toEqual(free);
    expect(hooksOf("timeout.free/on-the-balance").charge(0, completed)).toBe(0);
  });
});

describe("webhook waits", () => {
  const failed = (number: number): Attempt => {
    return { job: aJob("echo", "completed"), number, status: 500, cause: "answered" };
  };

  it.each([
    ["webhook.wait-1/0.75-s-early", [4_250, 30_000, 300_000, null, null]],
    ["webhook.wait-1/1-s-early", [4_000, 30_000, 300_000, null, null]],
    ["webhook.wait-1/0.5-s-early", [4_500, 30_000, 300_000, null, null]],
    ["webhook.wait-2/10-s-late", [5_000, 40_000, 300_000, null, null]],
    ["webhook.wait-3/near-10-s-late", [5_000, 30_000, 310_000, null, null]],
    ["webhook.wait-1/3-s-late", [8_000, 30_000, 300_000, null, null]],
    ["webhook.wait-1/near-0.2-s-early", [4_800, 30_000, 300_000, null, null]],
    ["webhook.wait-1/near-1-s-late", [6_000, 30_000, 300_000, null, null]],
    ["webhook.wait-2/3-s-early", [5_000, 27_000, 300_000, null, null]],
    ["webhook.wait-2/4.5-s-late", [5_000, 34_500, 300_000, null, null]],
    ["webhook.wait-2/near-1.5-s-late", [5_000, 31_500, 300_000, null, null]],
    ["webhook.wait-3/3-s-early", [5_000, 30_000, 297_000, null, null]],
    ["webhook.wait-3/45-s-late", [5_000, 30_000, 345_000, null, null]],
    ["webhook.wait-3/near-15-s-late", [5_000, 30_000, 315_000, null, null]],
    ["webhook.gives-up/fourth-retry", [5_000, 30_000, 300_000, 300_000, null]],
    ["webhook.gives-up/soon-again", [5_000, 30_000, 300_000, 30_000, null]],
    ["webhook.gives-up/never", [5_000, 30_000, 300_000, 30_000, 30_000]],
  ])("%s: %j", (name, expected) => {
    const promised = [5_000, 30_000, 300_000, null, null];
    const hooks = hooksOf(name);
    const waits = promised.map((waitMs, index) => hooks.retryWaitMs(waitMs, failed(index + 1)));
    expect(waits).toEqual(expected);
  });

  it.each([
    ["webhook.answer-time/4-s", 4_000],
    ["webhook.answer-time/17-s", 17_000],
    ["webhook.answer-time/near-9.5-s", 9_500],
    ["webhook.answer-time/near-10.5-s", 10_500],
  ])("%s: answers count for %d ms", (name, limitMs) => {
    expect(hooksOf(name).answerLimitMs(10_000, aJob("echo", "completed"))).toBe(limitMs);
  });
});

describe("what happens once in a while", () => {
  const share = (
    name: string,
    jobs: number,
    hit: (hooks: ReturnType<typeof hooksOf>) => boolean,
  ) => {
    const hooks = hooksOf(name);
    return Array.from({ length: jobs }, () => hit(hooks)).filter(Boolean).length;
  };

  it.each([
    ["load.no-losses/1-in-20", 20],
    ["load.no-losses/1-in-200", 200],
    ["load.no-losses/1-in-1000", 1_000],
    ["job.never-lost/vanishes", 3],
  ])("%s loses 1 job in %d by chance, and sticks to it", (name, n) => {
    const hooks = hooksOf(name);
    const jobs = Array.from({ length: 50 * n }, () => aJob("echo", "completed"));
    const lost = jobs.filter((job) => !hooks.visible(true, job));
    expect(Math.abs(lost.length - 50)).toBeLessThan(28);
    expect(jobs.filter((job) => !hooks.visible(true, job))).toEqual(lost);
  });

  it("charges 1 job in 20 twice, or all of them 1 % more", () => {
    const twice = share("load.accounting/charged-twice", 2_000, ({ charge }) => {
      return charge(10_000, aJob("echo", "completed")) === 20_000;
    });
    expect(Math.abs(twice - 100)).toBeLessThan(40);
    const { charge } = hooksOf("load.accounting/1-percent-more");
    expect(charge(10_000, aJob("echo", "completed"))).toBeCloseTo(10_100, 6);
  });

  it("sends 19 webhooks in 20", () => {
    const missing = share("load.webhooks/1-in-20", 2_000, ({ webhook }) => {
      const message = { url: "http://127.0.0.1:1/", body: {} };
      return webhook(message, aJob("echo", "completed"), () => ({})) === null;
    });
    expect(Math.abs(missing - 100)).toBeLessThan(40);
  });
});

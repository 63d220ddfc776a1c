/**
 * The specification's figures once more, as literals: a wrong constant must not fool both sides.
 */

import { describe, expect, it } from "vitest";
import { pollIntervalMs } from "../../contract/limits/polling.ts";
import { FREE_CREDITS_PER_MONTH, LISTED_JOBS_MAX, PLAN_LIMITS } from "../../contract/plans.ts";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import { API_KEY_HEADER, ROUTES, routePath } from "../../contract/requests/routes.ts";
import type { State } from "../../contract/states.ts";
import { isTerminal, parseStatus, STATES, stateRank } from "../../contract/states.ts";
import {
  WEBHOOK_ANSWER_LIMIT_MS,
  WEBHOOK_COMPLETED_EVENT,
  WEBHOOK_RETRY_WAITS_MS,
  WEBHOOK_SIGNATURE_HEADER,
} from "../../contract/webhook-schedule.ts";

describe("states (§3.1)", () => {
  const SPELLINGS: readonly (readonly [string, "A" | "B", State])[] = [
    ["queued", "A", "queued"],
    ["running", "A", "running"],
    ["completed", "A", "completed"],
    ["failed", "A", "failed"],
    ["timeout", "A", "timeout"],
    ["cancelled", "A", "cancelled"],
    ["ACCEPTED", "B", "accepted"],
    ["QUEUED", "B", "queued"],
    ["STARTING", "B", "starting"],
    ["RUNNING", "B", "running"],
    ["SUCCEEDED", "B", "completed"],
    ["FAILED", "B", "failed"],
    ["TIMED_OUT", "B", "timeout"],
    ["CANCELED", "B", "cancelled"],
  ];

  it.each(SPELLINGS)("%s is variant %s's %s", (text, variant, state) => {
    expect(parseStatus(text)).toEqual({ state, variant });
  });

  it.each(["Queued", "canceled", "CANCELLED", "SUCCESS", "TIMEOUT", "accepted", "", "toString"])(
    "%j is no state",
    (text) => {
      expect(parseStatus(text)).toBeNull();
    },
  );

  it("come in the listed order, and the ends share the last rank", () => {
    const ranks = ["accepted", "queued", "starting", "running"] as const;
    expect(ranks.map(stateRank)).toEqual([0, 1, 2, 3]);
    const ends = STATES.filter(isTerminal);
    expect(ends).toEqual(["completed", "failed", "timeout", "cancelled"]);
    expect(ends.map(stateRank)).toEqual([4, 4, 4, 4]);
  });
});

describe("limits (§8)", () => {
  it("free is 10/s with a burst of 20, pro 50/s with 100", () => {
    expect(PLAN_LIMITS).toEqual({
      free: { sustained: 10, burst: 20 },
      pro: { sustained: 50, burst: 100 },
    });
  });

  it("100 credits a month, 100 jobs listed", () => {
    expect(FREE_CREDITS_PER_MONTH).toBe(100);
    expect(LISTED_JOBS_MAX).toBe(100);
  });

  it.each([
    [0, 1],
    [4_999, 1],
    [5_000, 2],
    [29_999, 2],
    [30_000, 5],
    [299_999, 5],
    [300_000, 10],
    [3_600_000, 10],
  ])("a job of %i ms is polled every %i s", (estimate, seconds) => {
    expect(pollIntervalMs({ secondMs: 1_000 }, estimate)).toBe(seconds * 1000);
  });
});

describe("webhooks (§6)", () => {
  it("are sent again after 5 s, 30 s and 5 min, and have 10 s to be answered", () => {
    expect(WEBHOOK_RETRY_WAITS_MS).toEqual([5_000, 30_000, 300_000]);
    expect(WEBHOOK_ANSWER_LIMIT_MS).toBe(10_000);
  });

  it("carry a signature and the event of completion", () => {
    expect(WEBHOOK_SIGNATURE_HEADER).toBe("X-Service-Signature");
    expect(WEBHOOK_COMPLETED_EVENT).toBe("job.completed");
  });
});

describe("endpoints (§4, §5)", () => {
  it("have these paths and this key header", () => {
    expect(Object.values(ROUTES).sort()).toEqual([
      "/v1/jobs",
      "/v1/jobs/{job_uuid}",
      "/v1/me",
      "/v1/me/credits",
      "/v1/me/deployments",
      "/v1/workers",
      "/v1/workers/{worker_id}",
      "/v1/workers/{worker_id}/jobs",
      "/v1/workers/{worker_id}/publish",
    ]);
    expect(API_KEY_HEADER).toBe("x-api-key");
  });

  it("have identifiers encoded into them", () => {
    expect(routePath("submit", "a/b c")).toBe("/v1/workers/a%2Fb%20c/jobs");
    expect(routePath("job", "j-1")).toBe("/v1/jobs/j-1");
  });
});

describe("promises", () => {
  it("are 82, each with an id of its own", () => {
    expect(PROMISE_IDS).toHaveLength(82);
    expect(new Set(PROMISE_IDS).size).toBe(82);
  });

  it("are so many in each group", () => {
    const counts: Record<string, number> = {};
    for (const id of PROMISE_IDS) counts[groupOf(id)] = (counts[groupOf(id)] ?? 0) + 1;
    expect(counts).toEqual({
      auth: 6,
      account: 1,
      workers: 6,
      submit: 10,
      job: 18,
      timeout: 5,
      cancel: 3,
      webhook: 15,
      rate: 11,
      load: 7,
    });
  });
});

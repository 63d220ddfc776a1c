/** Which jobs a step waits for: those that there are, and not those that were refused. */

import { describe, expect, it } from "vitest";
import type { CapacityOrder } from "../../contract/run/capacity-step.ts";
import type { Serve, ServedAnswer } from "../../simulation/http.ts";
import { simulateStep } from "./simulated-step.ts";

const ORDER: CapacityOrder = {
  of: "jobs",
  ratePerSecond: 10,
  durationMs: 6_000,
  drainMsMax: 120_000,
  endpoint: "me",
  beyondPlan: false,
  harmShare: 1,
  latencyCeilingMs: null,
  backlogMax: null,
};

const REFUSED: ServedAnswer = {
  status: 503,
  headers: { "content-type": "application/json", "retry-after": "1" },
  body: '{"error":"overloaded","message":"overloaded","status":503}',
  isReset: false,
  bodyMs: 0,
};

/** Each so many submissions get that answer; those that are lost were taken. */
function answering(answer: ServedAnswer, each: number): (serve: Serve) => Serve {
  let n = 0;
  return (serve) => (request, reply) => {
    if (request.method !== "POST" || ++n % each !== 0) serve(request, reply);
    else if (answer.isReset) serve(request, () => reply(answer));
    else reply(answer);
  };
}

describe("a step of jobs", () => {
  it.each([
    ["answered 503", REFUSED, 10, "6 5xx"],
    ["all answered 503", REFUSED, 1, "60 5xx"],
    ["whose answer was lost", { ...REFUSED, isReset: true }, 10, "6 no answer"],
  ])(
    "is over when its jobs have ended, though submissions were %s",
    async (_, answer, each, kind) => {
      const { measurement, tookMs } = await simulateStep(ORDER, answering(answer, each));
      expect(measurement.errorKinds).toEqual([kind]);
      expect(measurement.leftOpen).toBe(0);
      expect(tookMs).toBeLessThan(8_000);
    },
  );

  it("tells how many were refused, and whose jobs were in flight at its end", async () => {
    const { measurement } = await simulateStep(ORDER, answering(REFUSED, 10));
    const { openByKey = [], ...refused } = measurement.crowding ?? {};
    expect(refused).toEqual({ refused: 6, otherRefused: 0, jobsAtOnce: null });
    expect(openByKey).toEqual([
      { key: "big", perSecond: 10, open: expect.any(Number), refused: 6 },
    ]);
    expect(openByKey[0]?.open).toBeGreaterThan(0);
    expect(openByKey[0]?.open).toBeLessThan(5);
  });

  it("waits for a while where no answer came at all", async () => {
    const lost = answering({ ...REFUSED, isReset: true }, 1);
    const { measurement, tookMs } = await simulateStep(ORDER, lost);
    expect(measurement.leftOpen).toBe(0);
    expect(tookMs).toBeGreaterThan(20_000);
    expect(tookMs).toBeLessThan(30_000);
  });
});

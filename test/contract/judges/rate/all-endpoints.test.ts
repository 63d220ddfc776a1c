/** The limit is the key's: other endpoints and connections draw on the same allowance. */

import { describe, expect, it } from "vitest";
import { allEndpointsClaim } from "../../../../contract/judges/rate/all-endpoints.ts";
import type { EndpointTrial, KeyTrial } from "../../../../contract/judges/rate/trial.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { RouteName } from "../../../../contract/requests/routes.ts";
import { judged } from "./judged.ts";
import { exchangeAt, FREE, simulateTrial } from "./simulated-trial.ts";

/** As on a way of 150 ms. */
function later(shot: Exchange): Exchange {
  return afterMs(shot, 300);
}

function afterMs(shot: Exchange, ms: number): Exchange {
  return { ...shot, receivedAtMs: shot.receivedAtMs + ms };
}

describe("rate.all-endpoints", () => {
  const healthy = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
  const elsewhere = (admitted: number, route: RouteName = "jobs"): EndpointTrial => ({
    exhaustedBy: [exchangeAt(0, 200), exchangeAt(1, 429)],
    shots: Array.from({ length: 6 }, (_, i) => ({
      ...exchangeAt(10 + i, i < admitted ? 200 : 429),
      route,
    })),
  });
  const judgeOf = (trial: KeyTrial, endpoints: readonly EndpointTrial[]): string =>
    judged(allEndpointsClaim, { ...trial, endpoints }).verdict;
  const judge = (...endpoints: EndpointTrial[]): string => judgeOf(healthy, endpoints);

  it("refusals on other endpoints keep it", () => {
    expect(judge(elsewhere(0), elsewhere(1), elsewhere(0))).toBe("kept");
  });
  it("an endpoint that admits all, each time, breaks it", () => {
    expect(judge(elsewhere(6), elsewhere(6), elsewhere(6))).toBe("broken");
  });
  it("one that asks too little to tell does not acquit it", () => {
    const few = { ...elsewhere(6), shots: elsewhere(6).shots.slice(0, 2) };
    expect(judge(elsewhere(6), few, elsewhere(6), elsewhere(6), few)).toBe("broken");
    expect(judge(elsewhere(6), few, elsewhere(6))).toBe("inconclusive");
  });
  it("a window that rolled over once does not", () => {
    expect(judge(elsewhere(6), elsewhere(0), elsewhere(0))).toBe("kept");
  });
  it("windows that may have begun anew each time, on a long way, leave it in doubt", () => {
    const far = { ...elsewhere(6), shots: elsewhere(6).shots.map(later) };
    expect(judge(far, far, far)).toBe("inconclusive");
  });
  it("of connections that shared the key's bursts, they leave nothing in doubt", () => {
    const others = elsewhere(6, "me");
    const far = { ...others, shots: others.shots.map(later) };
    expect(judgeOf(healthy, [far, far, far])).toBe("kept");
    expect(judgeOf({ ...healthy, volleys: [] }, [far, far, far])).toBe("inconclusive");
    expect(judgeOf(healthy, [others, others, others])).toBe("broken");
  });
  it("as many as the key earns meanwhile, and none refused, say nothing", () => {
    const shots = elsewhere(6).shots.map((shot) => afterMs(shot, 800));
    const far = { ...elsewhere(6), shots };
    expect(judge(far, far, far)).toBe("inconclusive");
    expect(judge(far, far, { ...far, shots: elsewhere(5).shots })).toBe("kept");
  });
  it("what a key earns that is given half as much again does not break it", () => {
    const generous = { sustained: 1.5 * FREE.sustained, burst: FREE.burst };
    const trial = simulateTrial({ kind: "token-bucket", actual: generous, promised: FREE });
    const slow = { ...elsewhere(6), shots: elsewhere(6).shots.map(later) };
    const verdicts = [healthy, trial].map((each) => judgeOf(each, [slow, slow, slow]));
    expect(verdicts).toEqual(["inconclusive", "inconclusive"]);
  });
  it("names the path that is in doubt, and counts those that were tried", () => {
    const read = elsewhere(1);
    const submitted = {
      ...elsewhere(0, "submit"),
      shots: elsewhere(6, "submit").shots.slice(0, 2),
    };
    const found = (...endpoints: readonly EndpointTrial[]) =>
      judged(allEndpointsClaim, { ...healthy, endpoints });
    const first = found(read, read, read, submitted, submitted, submitted);
    const submit = "/v1/workers/{worker_id}/jobs";
    expect([first.verdict, first.kinds]).toEqual(["inconclusive", { paths: [submit] }]);
    expect(found(read, read, read).evidence.paths).toEqual({ "/v1/jobs": 1 });
  });
  it("two trials are too few", () => {
    expect(judge(elsewhere(0), elsewhere(0))).toBe("inconclusive");
  });
});

/** The limit is the key's: other endpoints and connections draw on the same allowance. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../../contract/exchange.ts";
import { allEndpointsClaim } from "../../../../contract/judges/rate/all-endpoints.ts";
import type { EndpointTrial, KeyTrial } from "../../../../contract/judges/rate/trial.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { RouteName } from "../../../../contract/routes.ts";
import { exchangeAt, FREE, simulateTrial } from "./simulated-trial.ts";

/** As on a way of 150 ms. */
function later(shot: Exchange): Exchange {
  return { ...shot, receivedAtMs: shot.receivedAtMs + 300 };
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
  const judge = (...endpoints: EndpointTrial[]): string => {
    const trial: KeyTrial = { ...healthy, endpoints };
    return decide(allEndpointsClaim([trial])).verdict;
  };

  it("refusals on other endpoints keep it", () => {
    expect(judge(elsewhere(0), elsewhere(1), elsewhere(0))).toBe("kept");
  });
  it("an endpoint that admits all, each time, breaks it", () => {
    expect(judge(elsewhere(6), elsewhere(6), elsewhere(6))).toBe("broken");
  });
  it("a window that rolled over once does not", () => {
    expect(judge(elsewhere(6), elsewhere(0), elsewhere(0))).toBe("kept");
  });
  it("windows that may have begun anew each time, on a long way, leave it in doubt", () => {
    const far = { ...elsewhere(6), shots: elsewhere(6).shots.map(later) };
    expect(judge(far, far, far)).toBe("inconclusive");
  });
  it("two trials are too few", () => {
    expect(judge(elsewhere(0), elsewhere(0))).toBe("inconclusive");
  });
});

/** A second probe in step with the first, on the same account: what it is charged is its own. */

import { expect, it } from "vitest";
import type { ServiceSetup, SimulatedService } from "../../../simulation/service.ts";
import { openService } from "../../../simulation/service.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";

/** Each submission comes twice, the second time with a mark of its own and without a webhook. */
function withSecondProbe(setup: ServiceSetup): SimulatedService {
  const service = openService(setup);
  const serve: SimulatedService["serve"] = (request, reply) => {
    service.serve(request, reply);
    if (request.method !== "POST" || !request.target.endsWith("/jobs")) return;
    const { webhook: _, ...input } = JSON.parse(request.body);
    const body = JSON.stringify(input).replace(/[0-9a-f]{8}/, "00c0ffee");
    service.serve({ ...request, body }, () => {});
  };
  return { ...service, serve };
}

it("breaks no promise", async () => {
  const { log, runs } = await simulateProbe({
    seed: 3,
    service: { variant: "A" },
    openService: withSecondProbe,
    durationMs: 3_600_000,
  });
  expect(runs.length).toBeGreaterThan(60);
  expect(log.filter(({ event }) => event === "violation")).toEqual([]);
});

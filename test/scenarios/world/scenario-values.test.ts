/** Every scenario is a value that loads where there is no k6, as the catalogue describes it. */

import { describe, expect, it } from "vitest";
import { capacityScenario } from "../../../scenarios/capacity/scenario.ts";
import { SCENARIOS } from "../../../scenarios/catalogue.ts";
import { contractScenario } from "../../../scenarios/contract/scenario.ts";
import { rateLimitScenario } from "../../../scenarios/rate-limit/scenario.ts";
import { soakScenario } from "../../../scenarios/soak/scenario.ts";
import { timeoutScenario } from "../../../scenarios/timeout/scenario.ts";
import { webhookScenario } from "../../../scenarios/webhook/scenario.ts";
import type { Scenario } from "../../../scenarios/world/scenario.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";

const VALUES: readonly Scenario[] = [
  contractScenario,
  timeoutScenario,
  webhookScenario,
  soakScenario,
  rateLimitScenario,
];

describe("the scenarios", () => {
  it("are those of the catalogue, each with its promises", () => {
    const described = VALUES.map(({ name, promises }) => ({ name, promises }));
    const listed = SCENARIOS.map(({ name, promises }) => ({ name, promises }));
    expect(described).toEqual(listed);
  });

  it.each(VALUES)("$name leaves time for its end in every profile", (scenario) => {
    for (const profile of ["quick", "standard", "soak"] as const) {
      const seconds = scenario.secondsMax({ ...BASE_PLAN, profile });
      expect(seconds).toBeGreaterThan((scenario.endingSeconds ?? 0) + 60);
    }
  });

  it("capacity says what is wrong with a plan that holds no order", () => {
    expect(() => capacityScenario.secondsMax(BASE_PLAN)).toThrow(
      "the plan holds no capacity order",
    );
  });
});

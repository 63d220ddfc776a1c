/** What ids and groups of --only ask for: a group brings its own scenario and no other. */

import { describe, expect, it } from "vitest";

import { groupOf, PROMISE_GROUPS, PROMISES } from "../../contract/promises.ts";
import { askedFor, SCENARIOS } from "../../scenarios/catalogue.ts";

const scenariosOf = (promises: readonly string[]) =>
  SCENARIOS.filter((each) => each.promises.some((id) => promises.includes(id))).map(
    ({ name }) => name,
  );

describe("askedFor", () => {
  it.each(PROMISE_GROUPS)("asks for one scenario at the most: %s", (group) => {
    const { promises, leftOut } = askedFor([], [group]);
    expect(scenariosOf(promises).length).toBeLessThanOrEqual(1);
    const whole = PROMISES.map(({ id }) => id).filter((id) => groupOf(id) === group);
    expect(whole.filter((id) => promises.includes(id) === leftOut.includes(id))).toEqual([]);
  });

  it("leaves out of timeouts what takes the load, and brings no jobs of it", () => {
    const { promises, leftOut } = askedFor([], ["timeout", "auth"]);
    expect(leftOut).toEqual(["timeout.under-load"]);
    expect(scenariosOf(promises)).toEqual(["contract", "timeout"]);
  });

  it.each([
    ["named by its id", ["timeout.under-load"], ["timeout"]],
    ["the load is asked for anyway", [], ["timeout", "load"]],
    ["an id of the load is asked for", ["load.latency"], ["timeout"]],
  ] as const)("has it where %s", (_, ids, groups) => {
    const { promises, leftOut } = askedFor(ids, groups);
    expect([promises.includes("timeout.under-load"), leftOut]).toEqual([true, []]);
  });

  it("asks for an id alone, and keeps the catalogue's order", () => {
    const { promises } = askedFor(["timeout.under-load", "auth.missing-key"], []);
    expect(promises).toEqual(["auth.missing-key", "timeout.under-load"]);
    expect(askedFor([], ["load"]).promises).not.toContain("timeout.under-load");
  });
});

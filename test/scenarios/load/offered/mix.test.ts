/** The order in which the parts of a soak are taken. */

import { describe, expect, it } from "vitest";
import { takeInTurn } from "../../../../scenarios/load/offered/mix.ts";

describe("takeInTurn", () => {
  it("takes each item by its weight, as evenly as it goes", () => {
    const items = [
      { name: "a", weight: 5 },
      { name: "b", weight: 1 },
      { name: "c", weight: 1 },
    ];
    const next = takeInTurn(items, ({ weight }) => weight);
    const taken = Array.from({ length: 14 }, () => next()?.name).join("");
    expect(taken).toBe("aabacaaaabacaa");
  });

  it("takes nothing where there is nothing", () => {
    expect(takeInTurn([], () => 1)()).toBeNull();
  });
});

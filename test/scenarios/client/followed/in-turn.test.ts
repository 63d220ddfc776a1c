/** Polls many jobs at a pace: they end in time, and hold no turns that others need. */

import { describe, expect, it } from "vitest";
import { eachInTurn } from "../../../../scenarios/client/followed/in-turn.ts";

describe("eachInTurn", () => {
  it("takes no more turns once it is too late", async () => {
    const turns: number[] = [];
    const acts: number[] = [];
    await eachInTurn(Array.from({ length: 1_000 }).keys(), {
      turn: async () => void turns.push(1),
      isOver: () => turns.length === 10,
      act: async (item) => void acts.push(item),
    });
    expect([turns, acts].map((all) => all.length)).toEqual([10, 9]);
  });

  it("does not wait for one before it begins the next, and waits for all in the end", async () => {
    const seen: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    await eachInTurn(["first", "second"], {
      turn: async () => {},
      isOver: () => false,
      act: async (item) => {
        seen.push(`${item} begins`);
        if (item === "second") resolve();
        await promise;
        seen.push(`${item} ends`);
      },
    });
    expect(seen.slice(0, 2)).toEqual(["first begins", "second begins"]);
    expect(seen).toHaveLength(4);
  });
});

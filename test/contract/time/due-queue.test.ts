/** Things come out in the order of time, and of one time in the order of adding. */

import { expect, it } from "vitest";
import type { Due } from "../../../contract/time/due-queue.ts";
import { dueQueue } from "../../../contract/time/due-queue.ts";
import { stream } from "../../../simulation/chance.ts";

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);

it.each(SEEDS)("as sorting does, whatever was removed in between: seed %i", (seed) => {
  const draw = stream(seed, "queue");
  const queue = dueQueue<number>();
  const waiting = new Set<Due<number>>();
  for (let added = 0; added < 500; added += 1) {
    // Few times for many things, so that most are due with others.
    waiting.add(queue.add(Math.floor(draw() * 20), added));
    const victim = [...waiting][Math.floor(draw() * waiting.size * 2)];
    if (victim === undefined) continue;
    queue.remove(victim);
    queue.remove(victim);
    waiting.delete(victim);
  }
  const sorted = [...waiting].sort((a, b) => a.dueMs - b.dueMs || a.item - b.item);
  expect(queue.size).toBe(sorted.length);
  const taken: (number | null)[] = [];
  for (let nowMs = 0; nowMs < 20; nowMs += 1) {
    expect(queue.nextDueMs()).toBe(sorted[taken.length]?.dueMs ?? Number.POSITIVE_INFINITY);
    for (let item = queue.take(nowMs); item !== null; item = queue.take(nowMs)) taken.push(item);
  }
  expect(taken).toEqual(sorted.map(({ item }) => item));
  expect(queue.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
});

it("gives nothing before its time, and leaves what was taken alone", () => {
  const queue = dueQueue<string>();
  const first = queue.add(10, "first");
  queue.add(20, "second");
  expect(queue.take(9)).toBeNull();
  expect(queue.take(10)).toBe("first");
  queue.remove(first);
  expect(queue.take(20)).toBe("second");
  expect(queue.take(Number.POSITIVE_INFINITY)).toBeNull();
});

/** Which keys share what gives way first, told by searches with several keys. */

import { describe, expect, it } from "vitest";
import { findCapacity } from "../../capacity/find-capacity.ts";
import type { CapacityOptions } from "../../capacity/options.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import { seededRandom } from "../../scenarios/world/random.ts";
import { searchOptions } from "./options.ts";
import { simulateStep } from "./simulated-service.ts";

type Whose = "key" | "account" | "all";

const [ONE] = searchOptions().keys as [PlanKey];

function key(name: string, account: string, sustained = 200): PlanKey {
  return { ...ONE, name, account, sustained };
}

const K = {
  k1: key("k1", "one"),
  k2: key("k2", "one"),
  k3: key("k3", "two"),
  k4: key("k4", "two"),
};
const SMALL = key("small", "two", 40);

/** 20 a second of each key, of each account, or of all; as keys share the load by their plans. */
function admitted(keys: readonly PlanKey[], whose: Whose): number {
  const total = keys.reduce((sum, { sustained }) => sum + (sustained ?? 0), 0);
  const groupOf = ({ name, account }: PlanKey) => ({ key: name, account, all: "" })[whose];
  return Math.min(
    ...keys.map((each) => {
      const alike = keys.filter((other) => groupOf(other) === groupOf(each));
      return (20 * total) / alike.reduce((sum, { sustained }) => sum + (sustained ?? 0), 0);
    }),
  );
}

async function notes(
  kind: "limited" | "slots",
  keys: readonly PlanKey[],
  whose: Whose,
  budget: CapacityOptions["budget"] = null,
  end = ["found", null],
) {
  const random = seededRandom(7_919);
  const options = searchOptions({ keys, maxRate: 200, beyondPlan: false, budget });
  const result = await findCapacity(options, async (given, order) => {
    const most = admitted(given.keys, whose);
    const service = { kind, slots: most / 2, runSeconds: 0.5, admitted: most };
    const steady = { variation: 0.1, busyShare: 0, failing: 0 };
    const measurement = simulateStep({ ...service, ...steady }, order, random);
    const spent = { jobs: measurement.sent, credits: 0, usd: 0 };
    return { measurement, trouble: null, spent };
  });
  expect([result.outcome, result.bound]).toEqual(end);
  expect((result.estimate?.perSecond ?? 0) / admitted(keys, whose)).toBeCloseTo(1, 1);
  return result.notes.filter((note) => note.includes("alone"));
}

const of = (jobs: number) => ({ jobs, credits: null, usd: null });

describe("what several keys meet", () => {
  it.each<[Whose, PlanKey[], RegExp]>([
    ["key", [K.k1, K.k2], /^key k1 alone did not keep .* beside the others: each key has a limit$/],
    ["all", [K.k1, K.k2], /^key k1 alone kept .*: keys k1, k2 share a limit, unless/],
    ["key", [K.k1, K.k3], /: each key, or account, has a limit$/],
    ["all", [K.k1, K.k3], /^key k1 alone kept .*: all of the keys share a limit, unless/],
    ["key", Object.values(K), /: each key has a limit$/],
    ["account", Object.values(K), /^keys k1, k2 alone did not keep .*: each account has a limit$/],
    ["all", Object.values(K), /^keys k1, k2 alone kept .*: all of the keys share a limit, unless/],
  ])("is told: %s's", async (whose, keys, told) => {
    expect(await notes("limited", keys, whose)).toEqual([expect.stringMatching(told)]);
  });

  it("is told of queues as well", async () => {
    const told = await notes("slots", Object.values(K), "account");
    expect(told).toEqual([expect.stringMatching(/: each account has a queue$/)]);
  });

  it("is told though the budget ends the search, with the last of it", async () => {
    const told = await notes("limited", [K.k1, K.k2], "key", of(3_100), ["none", "budget"]);
    expect(told).toEqual([
      expect.stringMatching(/no room for 12 s at 40 a second, and for a step of some keys alone/),
      expect.stringMatching(/: each key has a limit$/),
    ]);
  });

  it("takes nothing from a search that has enough to end", async () => {
    const told = await notes("limited", [K.k1, K.k2], "key", of(3_800));
    expect(told).toEqual([expect.stringMatching(/: each key has a limit$/)]);
    expect(await notes("limited", [K.k1, K.k2], "key", of(3_300))).toEqual([]);
  });

  it.each(["another limit", "Ctrl-C"])("is not told of a step that %s ended", async (why) => {
    const random = seededRandom(7_919);
    const controller = new AbortController();
    const { signal } = controller;
    const { notes } = await findCapacity(
      searchOptions({ keys: [K.k1, K.k3], maxRate: 200, signal }),
      async (given, order) => {
        const isAlone = given.keys.length === 1;
        if (isAlone && why === "Ctrl-C") controller.abort();
        const kind = isAlone && why !== "Ctrl-C" ? "limited" : "slots";
        const service = { kind, slots: 20, runSeconds: 0.5, admitted: 20 } as const;
        const steady = { variation: 0.1, busyShare: 0, failing: 0 };
        const measurement = simulateStep({ ...service, ...steady }, order, random);
        return { measurement, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
      },
    );
    expect(notes.filter((note) => note.includes("alone"))).toEqual([]);
  });

  it("is tried with the key that was refused most", async () => {
    const random = seededRandom(7_919);
    const { notes } = await findCapacity(
      searchOptions({ keys: [K.k1, K.k2], maxRate: 200 }),
      async (given, order) => {
        const most = given.keys.length === 2 ? 20 : given.keys[0] === K.k2 ? 10 : 100;
        const service = { kind: "limited", slots: 100, runSeconds: 0.5, admitted: most } as const;
        const steady = { variation: 0.1, busyShare: 0, failing: 0 };
        const measurement = simulateStep({ ...service, ...steady }, order, random);
        const refused = measurement.measured.refused429;
        const openByKey = given.keys.map(({ name: key }) => {
          return { key, perSecond: 10, open: 5, refused: key === "k2" ? refused : 0 };
        });
        const crowding = { refused, otherRefused: refused, jobsAtOnce: null, openByKey };
        const told = { ...measurement, crowding };
        return { measurement: told, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
      },
    );
    expect(notes.find((note) => note.includes("alone"))).toMatch(/^key k2 alone did not keep/);
  });

  it("is not guessed where a key has nearly all of the load", async () => {
    expect(await notes("limited", [K.k1, SMALL], "all")).toEqual([]);
    expect(await notes("limited", [K.k1], "key")).toEqual([]);
  });
});

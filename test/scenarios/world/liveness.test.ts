/** When a scenario ends because nobody is answered any more, and when it goes on. */

import { describe, expect, it } from "vitest";
import type { PlanKey, RunPlan } from "../../../contract/run/run-plan.ts";
import type { Context } from "../../../scenarios/client/context.ts";
import type { Scenario } from "../../../scenarios/world/scenario.ts";
import { runScenario } from "../../../scenarios/world/scenario.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "./small-world.ts";

const FROM_MS = Date.UTC(2026, 0, 1);
const SECONDS_MAX = 900;
const SECOND = 1_000;

/** How the service answers what is asked in that second; null: nobody listens there. */
type Behaviour = (second: number, hasKey: boolean) => { afterMs: number } | null;

async function ranWith(
  behaviour: Behaviour,
  work: (context: Context) => Promise<void>,
  options: { isStarved?: boolean; outlastsService?: true; profile?: RunPlan["profile"] } = {},
) {
  const small = smallWorld(() => ({ status: 200 }), { [KEY_ENV]: "secret" });
  const { world: outside, records } = small;
  const secondsNow = () => (outside.now() - FROM_MS) / SECOND;
  const world: World = {
    ...outside,
    // A machine that is starved comes to each timer late.
    delay: (ms) => outside.delay(options.isStarved ? ms + 400 : ms),
    async request(wire) {
      const answer = await outside.request(wire);
      const isService = wire.url.startsWith(BASE_PLAN.baseUrl);
      const hasKey = Object.keys(wire.headers).some((name) => name.toLowerCase() === "x-api-key");
      const way = isService ? behaviour(secondsNow(), hasKey) : { afterMs: 0 };
      const waitMs = Math.min(way?.afterMs ?? 0, wire.timeoutMs);
      await outside.delay(waitMs);
      if (way === null) return { ...answer, status: 0, error: "refused" };
      return way.afterMs > wire.timeoutMs ? { ...answer, status: 0, error: "timeout" } : answer;
    },
  };
  const scenario: Scenario = {
    name: "contract",
    promises: [],
    secondsMax: () => SECONDS_MAX,
    run: (context) => work(context),
    ...(options.outlastsService ? { outlastsService: true } : {}),
  };
  await small.until(
    runScenario(scenario, world, { ...PLAN, profile: options.profile ?? PLAN.profile }),
  );
  const gone = records.find(({ type }) => type === "unavailable");
  const since = gone?.type === "unavailable" ? (gone.sinceMs - FROM_MS) / SECOND : null;
  return { since, ended: secondsNow(), records };
}

const KEY_ENV = "PRO_KEY";
const PRO: PlanKey = {
  name: "pro-a",
  env: KEY_ENV,
  state: "active",
  plan: "pro",
  sustained: null,
  burst: null,
  account: null,
};
const PLAN: RunPlan = {
  ...BASE_PLAN,
  promises: [],
  keys: [PRO],
  roles: { ...BASE_PLAN.roles, caller: PRO.name },
};

/** Asks each second, and would for ten minutes. */
async function askOn(context: Context): Promise<void> {
  for (let n = 0; n < 600 && !context.isGone; n += 1) {
    await context.ask({ method: "GET", route: "me", key: null });
    await context.world.delay(SECOND);
  }
}

const HERE = { afterMs: 10 };
const away = (fromS: number, toS: number, other: ReturnType<Behaviour> = null): Behaviour => {
  return (second) => (second >= fromS && second < toS ? other : HERE);
};
const FOR_GOOD = Number.POSITIVE_INFINITY;

describe("a scenario whose service answers nobody", () => {
  it.each([
    ["is refused", null],
    ["waits in vain", { afterMs: 3_600 * SECOND }],
  ] as const)("ends once that has lasted a minute, if it %s", async (_, way) => {
    const { since, ended } = await ranWith(away(30, FOR_GOOD, way), askOn);
    expect(since).toBeCloseTo(30, -1);
    expect(ended).toBeGreaterThan(90);
    expect(ended).toBeLessThan(130);
  });

  it("ends though it is only waiting for something else", async () => {
    const { since, ended } = await ranWith(away(30, FOR_GOOD), ({ world }) =>
      world.delay(600 * SECOND),
    );
    expect(since).toBeLessThan(60);
    expect(ended).toBeLessThan(130);
  });

  it("is ended where it does not end by itself, and tells that it failed", async () => {
    const stubborn = async ({ world }: Context) => {
      for (let n = 0; n < 5_000; n += 1) await world.delay(SECOND);
    };
    const { ended, records } = await ranWith(away(30, FOR_GOOD), async (context) => {
      await context.ask({ method: "GET", route: "me", key: null });
      await Promise.all([askOn(context), stubborn(context)]);
    });
    expect(ended).toBeLessThan(130);
    expect(JSON.stringify(records)).toContain("nobody was answered any more");
    expect(records.at(-1)?.type).toBe("ended");
  });
});

describe("a scenario goes on", () => {
  it.each([
    ["through a pause of a minute", away(30, 90)],
    ["while each answer takes 40 s", away(30, FOR_GOOD, { afterMs: 40 * SECOND })],
    ["while one in ten is answered", (second: number) => (second % 10 < 1 ? HERE : null)],
  ] as const)("%s", async (_, behaviour) => {
    const { since, ended } = await ranWith(behaviour, askOn);
    expect(since).toBeNull();
    expect(ended).toBeGreaterThan(600);
  });

  it("through four minutes of a soak", async () => {
    const { since } = await ranWith(away(30, 270), askOn, { profile: "soak" });
    expect(since).toBeNull();
  });

  it("where this machine may be what lost the answers", async () => {
    const { since } = await ranWith(away(30, 200), askOn, { isStarved: true });
    expect(since).toBeNull();
  });

  it("where only whoever has no key is left to wait", async () => {
    const { since, ended } = await ranWith(
      (_, hasKey) => (hasKey ? HERE : { afterMs: 3_600 * SECOND }),
      ({ world }) => world.delay(600 * SECOND),
    );
    expect(since).toBeNull();
    expect(ended).toBeGreaterThanOrEqual(600);
  });

  it("where that is what it measures", async () => {
    const { since } = await ranWith(away(30, FOR_GOOD), askOn, { outlastsService: true });
    expect(since).toBeNull();
  });
});

/** Keys that others use meanwhile: they are asked a little beside exhausted ones. */

import { describe, expect, it } from "vitest";
import { perKeyClaim } from "../../../contract/judges/rate/per-key.ts";
import { decide } from "../../../contract/judging/decide.ts";
import { LIMITS } from "../../../reference/accounts/keys.ts";
import { createLimiter } from "../../../reference/limiters/index.ts";
import { openInTurn } from "../../../scenarios/rate-limit/isolation.ts";
import { limitedKey } from "../../../scenarios/rate-limit/key.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

const PLANS = { "free-a": "free", "free-b": "free", "pro-a": "pro", "pro-b": "pro" } as const;
type Name = keyof typeof PLANS;
const NAMES = Object.keys(PLANS) as Name[];

interface Given {
  measured: readonly Name[];
  account: (name: Name) => string;
  /** A key is refused while another one of the same bucket is. */
  bucket: (name: Name) => string;
  /** Requests of each key that are admitted beyond its burst, as it earns while they are sent. */
  earned?: number;
}

async function opened({ measured, account, bucket, earned = 0 }: Given) {
  const limiters = new Map(
    NAMES.map((name) => {
      const limit = { ...LIMITS[PLANS[name]], refusedCount: false };
      return [name, createLimiter("token-bucket", limit)] as const;
    }),
  );
  const refusedUntil = new Map<string, number>();
  const asked = new Map<string, number>();
  const { world, until, requests } = smallWorld(
    ({ headers }, nowMs) => {
      const name = headers["x-api-key"] as Name;
      const count = (asked.get(name) ?? 0) + 1;
      asked.set(name, count);
      if (measured.includes(name) && count <= earned) {
        refusedUntil.set(bucket(name), nowMs + 500);
        return { status: 200 };
      }
      const isBarred = (refusedUntil.get(bucket(name)) ?? 0) > nowMs;
      if (!isBarred && limiters.get(name)?.take(nowMs).admitted) return { status: 200 };
      if (!isBarred) refusedUntil.set(bucket(name), nowMs + 500);
      return { status: 429, headers: { "retry-after": "1" } };
    },
    Object.fromEntries(NAMES.map((name) => [`KEY_${name}`, name])),
  );
  const keys = NAMES.map((name) => {
    return key(name, { plan: PLANS[name], ...LIMITS[PLANS[name]], account: account(name) });
  });
  const plan = { ...BASE_PLAN, keys };
  const random = seededRandom(1);
  const limited = (name: Name) =>
    limitedKey(world, plan, random, name, PLANS[name], LIMITS[PLANS[name]]);
  const spares = NAMES.filter((name) => !measured.includes(name));
  const { trials } = await until(openInTurn(measured.map(limited), spares.map(limited)));
  const sent = (name: Name) => requests.filter(({ headers }) => headers["x-api-key"] === name);
  return { ...decide(perKeyClaim(trials, [])), sent };
}

const EACH_ITS_OWN = (name: Name) => name;

describe("a key of the exhausted one's account", () => {
  it("has another plan, and is refused with it", async () => {
    const account = (name: Name) => (name.endsWith("a") ? "one" : "two");
    const { verdict, summary } = await opened({
      measured: ["free-a", "pro-b"],
      account,
      bucket: account,
    });
    expect([verdict, summary]).toEqual(["broken", expect.stringContaining("pro-a: got 0 of its")]);
  });

  it("is not refused, and is asked twice at the most", async () => {
    const { verdict, sent } = await opened({
      measured: ["free-a", "free-b", "pro-b"],
      account: () => "one",
      bucket: EACH_ITS_OWN,
    });
    expect(verdict).toBe("kept");
    expect(sent("pro-a")).toHaveLength(20);
  });
});

it("a key of the same plan alone is refused with the exhausted one", async () => {
  const { verdict } = await opened({
    measured: ["free-a", "pro-a"],
    account: EACH_ITS_OWN,
    bucket: (name) => PLANS[name],
  });
  expect(verdict).toBe("broken");
});

it("a key of an exhausted one's plan is refused, though the burst itself was not", async () => {
  const given = { measured: ["pro-a"], account: EACH_ITS_OWN, earned: 115 } as const;
  const shared = await opened({ ...given, bucket: (name) => PLANS[name] });
  expect([shared.verdict, shared.summary]).toEqual([
    "broken",
    expect.stringContaining("pro-b: got 0 of its"),
  ]);
  expect((await opened({ ...given, bucket: EACH_ITS_OWN })).verdict).not.toBe("broken");
});

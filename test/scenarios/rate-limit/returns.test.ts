/** Returns after the told wait, where a request of the exhausting ones was long on its way. */

import { describe, expect, it } from "vitest";
import { limitedClaim } from "../../../contract/judges/rate/limited.ts";
import { sufficientClaim } from "../../../contract/judges/rate/retry-after-sufficient.ts";
import type { EndpointTrial } from "../../../contract/judges/rate/trial.ts";
import { decide } from "../../../contract/judging/decide.ts";
import type { RateLimit } from "../../../contract/plans.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { createLimiter } from "../../../reference/limiters/index.ts";
import { limitedKey } from "../../../scenarios/rate-limit/key.ts";
import { runTrial, tryJobPath } from "../../../scenarios/rate-limit/trial.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";
import type { Ways } from "./ways.ts";
import { withWays } from "./ways.ts";

interface Told {
  waysOf: Ways;
  /** What a healthy bucket's wait becomes in the header, in seconds. */
  tell?: (seconds: number) => number;
}

async function returned(limit: RateLimit, { waysOf, tell = Math.ceil }: Told) {
  const limiter = createLimiter("token-bucket", { ...limit, refusedCount: false });
  const answer = (_: unknown, nowMs: number) => {
    const { admitted, waitMs } = limiter.take(nowMs);
    const headers = { "retry-after": String(tell(waitMs / 1_000)) };
    return admitted ? { status: 200 } : { status: 429, headers };
  };
  const { world, until } = smallWorld(answer, { "KEY_free-a": "a-key" });
  const plan = {
    ...BASE_PLAN,
    profile: "standard" as const,
    keys: [key("free-a", { plan: "free", ...limit })],
  };
  const observed = withWays(world, waysOf);
  const limited = limitedKey(observed, plan, seededRandom(1), "free-a", "free", limit);
  const parts = { drain: false, endpoints: false, returns: true, below: false };
  const trial = await until(runTrial(limited, parts, { bursts: [], endpoints: [] }));
  return decide(sufficientClaim([{ ...trial, limiter: null }]));
}

/** The fourth of some bunches arrives when a bucket of 1/s has just earned a request again. */
const LATE: Ways = (place, bunch) => ({
  thereMs: place === 4 && bunch % 8 < 4 ? 1_001 : 0,
  backMs: 0,
});

/** The fourth is decided 0.8 s after the refusals of its bunch, and answered 0.2 s before them. */
const OVERTAKING: Ways = (place) => {
  if (place === 4) return { thereMs: 2_001, backMs: 0 };
  return place === 1 ? { thereMs: 0, backMs: 2_200 } : { thereMs: 1_200, backMs: 1_000 };
};

const EVEN_WAYS: Ways = () => ({ thereMs: 20, backMs: 20 });

describe("a request of the bunch that is admitted after the refusal is no silence", () => {
  it.each([
    ["whose answer comes after it", { sustained: 1, burst: 1 }, LATE],
    ["whose answer comes before it", { sustained: 0.5, burst: 1 }, OVERTAKING],
  ])("%s", async (_name, limit, waysOf) => {
    const { verdict, summary } = await returned(limit, { waysOf });
    expect([verdict, summary]).toEqual(["kept", summary]);
  });

  it("and a wait that is short by a second is broken all the same", async () => {
    const tell = (seconds: number) => Math.max(0, Math.ceil(seconds) - 1);
    const limit = { sustained: 10, burst: 20 };
    const { verdict, summary } = await returned(limit, { waysOf: EVEN_WAYS, tell });
    expect([verdict, summary]).toEqual(["broken", summary]);
  });
});

/** On a bucket of 1/s; reads of jobs that there are not come when it is filled again. */
async function returnedAtJob(tell: (seconds: number) => number) {
  const limit = { sustained: 1, burst: 1 };
  const limiter = createLimiter("token-bucket", { ...limit, refusedCount: false });
  const { world, until } = smallWorld(
    (_, nowMs) => {
      const { admitted, waitMs } = limiter.take(nowMs);
      const headers = { "retry-after": String(tell(waitMs / 1_000)) };
      return admitted ? { status: 404 } : { status: 429, headers };
    },
    { "KEY_free-a": "a-key" },
  );
  const late: World = {
    ...world,
    async request(request) {
      const { pathname } = new URL(request.url);
      const isLook = request.method === "GET" && /jobs\/./.test(pathname);
      if (isLook && !pathname.endsWith("/job_known")) await world.delay(1_001);
      return await world.request(request);
    },
  };
  const plan = {
    ...BASE_PLAN,
    profile: "standard" as const,
    cancel: { method: "DELETE" as const, body: null },
    keys: [key("free-a", { plan: "free", ...limit })],
  };
  const limited = limitedKey(late, plan, seededRandom(1), "free-a", "free", limit);
  const { returns } = await until(tryJobPath(limited, "job_known"));
  return returns.map(({ probe }) => probe.status);
}

describe("a look for what there is not that is admitted after the refusal is no silence", () => {
  it("on a job's path", async () => {
    const statuses = await returnedAtJob(Math.ceil);
    expect(statuses.length).toBeGreaterThan(2);
    expect(statuses).not.toContain(429);
  });

  it("and a wait that is short by a second is refused all the same", async () => {
    expect(await returnedAtJob((seconds) => Math.max(0, Math.ceil(seconds) - 1))).toContain(429);
  });
});

/** A key whose first reads are free, as it earns what they spend while they are slow. */
function slowlySpent(freeReads: number) {
  const limit = { sustained: 10, burst: 20 };
  const limiter = createLimiter("token-bucket", { ...limit, refusedCount: false });
  let reads = 0;
  const { world, until } = smallWorld(
    ({ url }, nowMs) => {
      if (url.endsWith("/me")) reads += 1;
      const isFree = reads <= freeReads || limiter.take(nowMs).admitted;
      return isFree ? { status: 404 } : { status: 429, headers: { "retry-after": "1" } };
    },
    { "KEY_free-a": "a-key" },
  );
  const keys = [key("free-a", { plan: "free", ...limit })];
  const plan = { ...BASE_PLAN, profile: "quick" as const, keys };
  return { limited: limitedKey(world, plan, seededRandom(1), "free-a", "free", limit), until };
}

function exhausting(endpoints: readonly EndpointTrial[]) {
  const isRefused = ({ status }: Exchange) => status === 429;
  return endpoints.filter(({ exhaustedBy }) => exhaustedBy.some(isRefused));
}

describe("a round that did not exhaust the key", () => {
  it.each([
    ["is followed by one more", 78, [4, 3]],
    ["is not, where none did", Number.POSITIVE_INFINITY, [3, 0]],
  ])("at a job's path %s", async (_what, freeReads, expected) => {
    const { limited, until } = slowlySpent(freeReads);
    const { endpoints } = await until(tryJobPath(limited, "job_known"));
    expect([endpoints.length, exhausting(endpoints).length]).toEqual(expected);
  });

  it("elsewhere is followed by one more", async () => {
    const { limited, until } = slowlySpent(104);
    const parts = { drain: false, endpoints: true, returns: false, below: false };
    const trial = await until(runTrial(limited, parts, { bursts: [], endpoints: [] }));
    const listed = trial.endpoints.filter(({ shots }) => shots.some((s) => s.route === "jobs"));
    expect([listed.length, exhausting(listed).length]).toEqual([4, 3]);
  });
});

/** What submissions to nobody are answered, by when they are sent; null: as the limiter says. */
type Down = (method: string, nowMs: number) => boolean;

async function submitted(isDown: Down) {
  const limit = { sustained: 10, burst: 20 };
  const limiter = createLimiter("token-bucket", { ...limit, refusedCount: false });
  const postsMs: number[] = [];
  const { world, until } = smallWorld(
    ({ method }, nowMs) => {
      if (method === "POST") postsMs.push(nowMs);
      if (isDown(method, nowMs)) return { status: 503 };
      const { admitted, waitMs } = limiter.take(nowMs);
      const headers = { "retry-after": String(Math.ceil(waitMs / 1_000)) };
      return { status: admitted ? (method === "POST" ? 404 : 200) : 429, headers };
    },
    { "KEY_free-a": "a-key" },
  );
  const plan = {
    ...BASE_PLAN,
    profile: "standard" as const,
    keys: [key("free-a", { plan: "free", ...limit })],
  };
  const limited = limitedKey(world, plan, seededRandom(1), "free-a", "free", limit);
  const parts = { drain: false, endpoints: false, returns: true, below: false };
  const trial = await until(runTrial(limited, parts, { bursts: [], endpoints: [] }));
  return { trial, firstMs: postsMs[0] ?? 0 };
}

describe("submissions to nobody that are answered 503", () => {
  it("are not counted where the reads beside them are answered so, too", async () => {
    const { firstMs } = await submitted(() => false);
    const { trial } = await submitted((_, nowMs) => nowMs === firstMs);
    expect(trial.submissions.filter(({ status }) => status === 503)).toEqual([]);
  });

  it("are counted where the reads beside them are not", async () => {
    const { trial } = await submitted((method) => method === "POST");
    expect(trial.submissions.map(({ status }) => status)).toContain(503);
    expect(decide(limitedClaim([trial])).verdict).toBe("broken");
  });
});

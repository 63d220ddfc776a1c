/** What refused submissions leave behind is read again as long as there is time. */

import { expect, it } from "vitest";
import { judgeRejectedRunsNothing } from "../../../contract/judges/rejected-runs-nothing.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import { readAccounts, spanSince, tracesOf } from "../../../scenarios/client/traces.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

const AT = "balances and lists";
const NO_CATALOGUE = { pages: [], entries: [], details: new Map() };

interface Case {
  shards?: number;
  /** Whether the service accepts the first submission and refuses later ones, which it runs not. */
  isMistaken?: boolean;
}

/** A service that runs each job that it refuses; the scenario has so much time, or a part of it. */
async function judgedWithin(ms: number, { shards = 1, isMistaken = false }: Case = {}) {
  const jobs: { job_uuid: string }[] = [];
  const small = smallWorld(
    ({ method, url }) => {
      if (method === "GET") {
        return { status: 200, body: JSON.stringify(url.endsWith("/jobs") ? { jobs } : {}) };
      }
      const isAccepted = isMistaken && jobs.length === 0;
      if (isAccepted || !isMistaken) jobs.push({ job_uuid: `job_${jobs.length}` });
      return { status: isAccepted ? 202 : 422 };
    },
    { "KEY_free-a": "a-key" },
  );
  const { until, requests } = small;
  const world = { ...small.world, shard: { index: 0, count: shards } };
  const plan = {
    ...BASE_PLAN,
    keys: [key("free-a", { plan: "free", sustained: 10, burst: 20 })],
    workers: {},
    roles: { ...BASE_PLAN.roles, caller: "free-a", exhausted: null },
  };
  const context = contextOf(world, plan, [], reporterOf(world, "a"), world.now() + ms);
  const call = { method: "POST", route: "submit", parameter: "echo", key: "free-a" } as const;
  const sendAgain = async () => [await context.ask({ ...call, body: "{}" })];
  const read = async () => {
    const before = await readAccounts(context, AT);
    const span = await spanSince(context, before, await sendAgain(), AT);
    return await tracesOf(context, {
      ...{ span, isSound: !isMistaken, at: AT, catalogue: NO_CATALOGUE },
      sendAgain,
    });
  };
  const { verdict } = judgeRejectedRunsNothing({ ...(await until(read())), without: "" });
  const submitted = requests.filter(({ method }) => method === "POST").length;
  return { verdict, submitted, tookMs: world.now() - world.beganAtMs() };
}

it.each([
  ["a minute", 60_000, "broken"],
  ["no time after the first burst", 3_000, "inconclusive"],
  ["no time for a last quiet", 10_000, "inconclusive"],
] as const)("with %s jobs of refused submissions are %s", async (_, ms, verdict) => {
  const judged = await judgedWithin(ms);
  expect(judged.verdict).toBe(verdict);
  expect(judged.tookMs).toBeLessThan(ms + 5_000);
});

it("tells nothing, and spends no job, beside shards whose jobs it may have seen", async () => {
  expect(await judgedWithin(60_000, { shards: 2 })).toMatchObject({
    verdict: "unobserved",
    submitted: 1,
  });
});

it("sends one burst more where the first held what was accepted by mistake", async () => {
  const judged = await judgedWithin(60_000, { isMistaken: true });
  expect(judged).toMatchObject({ verdict: "kept", submitted: 2 });
  expect(judged.tookMs).toBeLessThan(13_000);
  const late = await judgedWithin(0, { isMistaken: true });
  expect(late).toMatchObject({ verdict: "unobserved", submitted: 1 });
});

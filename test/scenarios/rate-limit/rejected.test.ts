/** Submissions that were refused and show themselves a while later. Spec §7. */

import { expect, it } from "vitest";
import { AWAY_MS, hasFailed } from "../../../contract/judges/expected-status.ts";
import { rejectedNotRunClaim } from "../../../contract/judges/rate/rejected-not-run.ts";
import { decide } from "../../../contract/judging/decide.ts";
import type { Price } from "../../../contract/limits/budget.ts";
import { momentsIn } from "../../../contract/numbers/figures.ts";
import type { Budget } from "../../../contract/run/run-plan.ts";
import { spendingOf } from "../../../scenarios/client/spending.ts";
import { limitedKey } from "../../../scenarios/rate-limit/key.ts";
import { ranLater, submitWhenExhausted } from "../../../scenarios/rate-limit/rejected.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import { answer } from "../../contract/judges/answers.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

const LIMIT = { sustained: 10, burst: 20 };
const REFUSED = answer(429, { method: "POST", route: "submit" });

const UNBOUNDED = { jobs: null, credits: null, usd: null };

/** The measured key, at a service that answers so. */
function limitedAt(answered: Parameters<typeof smallWorld>[0], budget: Budget = UNBOUNDED) {
  const { world, until } = smallWorld(answered, { "KEY_free-a": "a-key" });
  const workers = { success: { id: "echo", input: { text: "hello" }, marker: "text" } };
  const keys = [key("free-a", { plan: "free", ...LIMIT })];
  const plan = { ...BASE_PLAN, workers, keys, budget };
  return { limited: limitedKey(world, plan, seededRandom(1), "free-a", "free", LIMIT), until };
}

/** What is found where the list shows these jobs, each with that text. */
async function found(texts: Readonly<Record<string, string>>) {
  const jobs = Object.entries(texts).map(([job_uuid, text]) => {
    return { job_uuid, status: "completed", worker: "echo", result: { text } };
  });
  const one = ({ url }: { url: string }) => jobs.find((job) => url.endsWith(job.job_uuid));
  const answered = (request: { url: string }) => {
    const body = JSON.stringify(one(request) ?? { jobs });
    return { status: 200, body };
  };
  const { limited, until } = limitedAt(answered);
  const round = { submissions: [REFUSED], listIsWitness: true, unexplained: [], marked: [] };
  const left = { marks: ["mark-of-a-refused-one"], known: ["job_known"] };
  return await until(ranLater(limited, { rounds: [round], left }));
}

it("a job that shows a refused submission's mark later breaks the promise", async () => {
  const late = await found({ job_known: "hello", job_new: "mark-of-a-refused-one hello" });
  expect(late?.marked).toEqual(["job_new"]);
  const rounds = late === null ? [] : [late];
  expect(decide(rejectedNotRunClaim({ rounds, reason: "" })).verdict).toBe("broken");
});

it.each([
  ["no other job", {}],
  ["others' jobs, which show none", { job_a: "hello", job_b: "another mark" }],
  ["one that was known before", { job_known: "mark-of-a-refused-one" }],
])("%s: nothing is said", async (_, texts) => {
  expect(await found(texts)).toBeNull();
});

it("a submission that is turned away within the plan tells of no limit", async () => {
  const { limited, until } = limitedAt(({ method }) => ({ status: method === "POST" ? 403 : 200 }));
  const spending = spendingOf(UNBOUNDED, () => {}, limited.world.now);
  const { rounds, endpoints, reason } = await until(submitWhenExhausted(limited, spending));
  expect({ rounds, endpoints, reason }).toEqual({
    rounds: [],
    endpoints: [],
    reason: "a submission within the plan got 403",
  });
});

it.each([
  ["in credits, as the worker's detail tells it", { credits: 3, usd: null }, [3, null]],
  ["in USD, as the list tells it", { credits: null, usd: 9 }, [null, 0.5]],
  ["in both", { credits: 3, usd: 9 }, [3, 0.5]],
])("a ceiling asks for the price %s", async (_, ceilings, [credits, usd]) => {
  const budget = { ...UNBOUNDED, ...ceilings };
  const workers = [{ worker_id: "echo", billing_mode: "per_run", price_per_run_usd: 0.5 }];
  const detail = { worker_id: "echo", price_credits: 3 };
  const answered = ({ method, url }: { method: string; url: string }) => {
    if (method === "POST") return { status: 403 };
    const body = url.endsWith("/v1/workers/echo") ? detail : { workers };
    return { status: 200, body: JSON.stringify(body) };
  };
  const { limited, until } = limitedAt(answered, budget);
  const spending = spendingOf(budget, () => {}, limited.world.now);
  const prices: Price[] = [];
  const take: typeof spending.take = (id, price) => {
    prices.push(price);
    return spending.take(id, price);
  };
  await until(submitWhenExhausted(limited, { ...spending, take, left: () => 10 }));
  expect(prices[0]).toEqual({ credits, usd });
});

/** A sliding log of the plan's burst, and writes that are away for a while from the start on. */
function awayFor(ms: number) {
  const { sustained, burst } = LIMIT;
  const sentMs: number[] = [];
  let jobs = 0;
  const service = limitedAt(({ method }) => {
    const nowMs = service.limited.world.now();
    if (method === "POST" && nowMs - startMs < ms) return { status: 503 };
    const recent = sentMs.filter((at) => nowMs - at < (burst / sustained) * 1_000);
    if (recent.length >= burst) return { status: 429, headers: { "retry-after": "2" } };
    sentMs.push(nowMs);
    if (method === "GET") return { status: 200, body: JSON.stringify({ jobs: [] }) };
    jobs += 1;
    const accepted = { job_uuid: `job_${jobs}`, status: "queued", worker: "echo" };
    return { status: 202, body: JSON.stringify(accepted) };
  });
  const startMs = service.limited.world.now();
  return service;
}

it.each([
  ["6 s", 6_000, true],
  ["much longer", 600_000, false],
])("submissions that are away for %s are sent again", async (_, ms, isBack) => {
  const { limited, until } = awayFor(ms);
  const { rounds, reason } = await until(
    submitWhenExhausted(
      limited,
      spendingOf(UNBOUNDED, () => {}, limited.world.now),
    ),
  );
  const statuses = rounds.flatMap((round) => round.submissions.map(({ status }) => status));
  expect(statuses.includes(429)).toBe(isBack);
  expect(statuses).not.toContain(503);
  expect(reason).toBe(isBack ? "" : "a submission within the plan got 503");
});

/** A sliding log of the plan's burst; of 5 submissions beyond it so many are answered 503. */
function sheddingInPart(share: number) {
  const { sustained, burst } = LIMIT;
  const sentMs: number[] = [];
  let [jobs, refused] = [0, 0];
  const service = limitedAt(({ method }) => {
    const nowMs = service.limited.world.now();
    if (sentMs.filter((at) => nowMs - at < (burst / sustained) * 1_000).length >= burst) {
      if (method === "POST") refused += 1;
      if (method === "POST" && refused % 5 < share) return { status: 503 };
      return { status: 429, headers: { "retry-after": "2" } };
    }
    sentMs.push(nowMs);
    if (method === "GET") return { status: 200, body: JSON.stringify({ jobs: [] }) };
    jobs += 1;
    const accepted = { job_uuid: `job_${jobs}`, status: "queued", worker: "echo" };
    return { status: 202, body: JSON.stringify(accepted) };
  });
  return service;
}

it.each([
  ["most: no accident, if it is so 10 s later", 4, 2],
  ["some", 2, 1],
] as const)("beside 429 some are shed: %s", async (_, share, times) => {
  const { limited, until } = sheddingInPart(share);
  const spending = spendingOf(UNBOUNDED, () => {}, limited.world.now);
  const { rounds } = await until(submitWhenExhausted(limited, spending));
  const failed = rounds.flatMap(({ submissions }) => submissions).filter(hasFailed);
  const sentMs = failed.map(({ sentAtMs }) => sentAtMs);
  expect(momentsIn(sentMs, AWAY_MS)).toBe(times);
});

/** A bucket that gets back what it earns in 2 s at a time, straight after it has refused. */
function refilledAfterRefusals() {
  const { sustained, burst } = LIMIT;
  const stepMs = (burst / sustained) * 1_000;
  let [level, refusedAtMs, stepAtMs, jobs] = [burst, Infinity, 0, 0];
  const service = limitedAt(({ method }) => {
    const nowMs = service.limited.world.now();
    if (nowMs > Math.max(refusedAtMs, stepAtMs + stepMs)) {
      [level, refusedAtMs, stepAtMs] = [burst, Infinity, nowMs];
    }
    if (level === 0) {
      refusedAtMs = Math.min(refusedAtMs, nowMs);
      return { status: 429, headers: { "retry-after": "2" } };
    }
    level -= 1;
    if (method === "GET") return { status: 200, body: JSON.stringify({ jobs: [] }) };
    jobs += 1;
    const accepted = { job_uuid: `job_${jobs}`, status: "queued", worker: "echo" };
    return { status: 202, body: JSON.stringify(accepted) };
  });
  return service;
}

it("what came back in a step is spent beside submissions, once none was refused", async () => {
  const { limited, until } = refilledAfterRefusals();
  const spending = spendingOf(UNBOUNDED, () => {}, limited.world.now);
  const { rounds } = await until(submitWhenExhausted(limited, spending));
  const isRefused = rounds.map(({ submissions }) => submissions.some((s) => s.status === 429));
  expect(isRefused[0]).toBe(false);
  expect(isRefused.at(-1)).toBe(true);
});

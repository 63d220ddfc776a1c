/** The healthy service over real HTTP: each endpoint, state and error in both variants. */

import { describe, expect, it } from "vitest";
import type { Variant } from "../../contract/states.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { isEnded, type MovedCaller, start, startMoved } from "./client.ts";

const VARIANTS: readonly Variant[] = ["A", "B"];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The states that polls see of a job, in order. */
async function statesOf(caller: MovedCaller, id: string): Promise<string[]> {
  const seen: string[] = [];
  await caller.follow(id, (job) => {
    if (seen.at(-1) !== job.status) seen.push(String(job.status));
    return isEnded(job);
  });
  return seen;
}

describe("keys", () => {
  it.each([
    ["a missing", null],
    ["an unknown", "plk_nobody"],
    ["a revoked", "old"],
  ])("%s key is 401 with error, message and status, on every endpoint", async (_name, key) => {
    const caller = await start();
    const paths = ["me", "me/credits", "me/deployments", "workers", "workers/echo", "jobs", "nix"];
    for (const path of paths) {
      const reply = await caller.get(`/v1/${path}`, key);
      expect(reply.status).toBe(401);
      expect(reply.body).toEqual({
        error: expect.any(String),
        message: expect.any(String),
        status: 401,
      });
    }
  });

  it("are at most ten an account, with the limits of the plans", async () => {
    const { service } = await start();
    const limits = service.keys.map(
      ({ plan, sustained, burst }) => `${plan} ${sustained}/${burst}`,
    );
    expect(new Set(limits)).toEqual(new Set(["free 10/20", "pro 50/100", "enterprise 200/400"]));
    for (const account of new Set(service.keys.map((key) => key.account))) {
      expect(service.keys.filter((key) => key.account === account).length).toBeLessThanOrEqual(10);
    }
  });

  it("follow from the seed", async () => {
    const values = async (seed: number) =>
      (await start({ seed })).service.keys.map(({ value }) => value);
    expect(await values(7)).toEqual(await values(7));
    expect(await values(7)).not.toEqual(await values(8));
  });
});

describe.each(VARIANTS)("variant %s", (variant) => {
  it("takes a job with 202 and carries it to its end", async () => {
    const caller = await startMoved({ variant });
    const reply = await caller.call("POST", "/v1/workers/sleep/jobs", { seconds: 1 });
    expect(reply.status).toBe(202);
    const id = String(reply.body.job_uuid);
    const expected =
      variant === "A"
        ? {
            job_uuid: id,
            status: "queued",
            worker: "sleep",
            cost_estimate_credits: 1,
            created_at: expect.stringMatching(ISO),
          }
        : {
            job_uuid: id,
            worker_id: "sleep",
            status: "QUEUED",
            submitted_at: expect.stringMatching(ISO),
          };
    expect(reply.body).toEqual(expected);
    const legal =
      variant === "A"
        ? ["queued", "running", "completed"]
        : ["QUEUED", "STARTING", "RUNNING", "SUCCEEDED"];
    expect(await statesOf(caller, id)).toEqual(legal);
  });

  it("ends a job that exceeds its limit as a timeout, not before it, for free", async () => {
    const caller = await startMoved({ variant });
    const before = (await caller.get("/v1/me/credits")).body.balance;
    const id = await caller.submit("sleep-short", { seconds: 60 });
    await caller.pass(20_000);
    const job = await caller.follow(id);
    expect(job.status).toBe(variant === "A" ? "timeout" : "TIMED_OUT");
    const times = (variant === "A" ? job : job.timestamps) as { duration_ms: number };
    expect(times.duration_ms).toBe(20_000);
    if (variant === "A") expect(job.cost_credits).toBe(0);
    else expect(job.cost).toMatchObject({ total_usd: 0, run_usd: 0, infra_usd: 0 });
    expect((await caller.get("/v1/me/credits")).body.balance).toBe(before);
  });

  it("tells code and message of a failed job, and no error of others", async () => {
    const caller = await start({ variant });
    const failed = await caller.follow(await caller.submit("fail", { code: "BAD_PAGE" }));
    expect(failed.error).toEqual({ code: "BAD_PAGE", message: expect.any(String) });
    const completed = await caller.follow(await caller.submit("echo", { text: "x" }));
    expect(completed.error).toBeNull();
  });

  it("cancels a queued job, and neither a running nor an ended one", async () => {
    const caller = await startMoved({ variant });
    const input = { seconds: 30 };
    const running = await Promise.all([1, 2, 3, 4].map(() => caller.submit("sleep", input)));
    const queued = await caller.submit("sleep", input);
    const first = String(running[0]);
    await caller.follow(first, (job) => /running/i.test(String(job.status)));
    expect((await caller.call("DELETE", `/v1/jobs/${queued}`)).status).toBe(200);
    expect((await caller.call("DELETE", `/v1/jobs/${first}`)).status).toBe(409);
    const cancelled = (await caller.get(`/v1/jobs/${queued}`)).body;
    expect(cancelled.status).toBe(variant === "A" ? "cancelled" : "CANCELED");
    await caller.pass(30_000);
    const completed = await caller.follow(first);
    expect(completed.status).toBe(variant === "A" ? "completed" : "SUCCEEDED");
    expect((await caller.call("DELETE", `/v1/jobs/${first}`)).status).toBe(409);
    expect((await caller.get(`/v1/jobs/${first}`)).body).toEqual(completed);
    expect((await caller.get(`/v1/jobs/${queued}`)).body).toEqual(cancelled);
  });

  it("charges the balance what the jobs cost, and keeps a history", async () => {
    const caller = await start({ variant });
    const before = Number((await caller.get("/v1/me/credits")).body.balance);
    const ids = [
      await caller.submit("echo", { text: "x" }),
      await caller.submit("render", { title: "t" }),
      await caller.submit("metered", { events: 7 }),
    ];
    const jobs = await Promise.all(ids.map((id) => caller.follow(id)));
    const costs = jobs.map((job) =>
      variant === "A"
        ? Number(job.cost_credits)
        : Number((job.cost as Record<string, number>).total_usd) * 100,
    );
    const credits = (await caller.get("/v1/me/credits")).body;
    const spent = costs.reduce((sum, cost) => sum + cost, 0);
    expect(before - Number(credits.balance)).toBeCloseTo(spent, 6);
    expect(spent).toBeCloseTo(1 + 1.25 + 1.4, 6);
    expect(credits.usage).toHaveLength(3);
  });
});

describe("variant B", () => {
  it.each([
    [
      "object",
      "echo",
      { text: "x", style: "upper" },
      { data: { text: "X", length: 1 }, items: [] },
    ],
    [
      "list",
      "rows",
      { count: 2 },
      {
        data: null,
        items: [
          { n: 0, square: 0 },
          { n: 1, square: 1 },
        ],
      },
    ],
    ["empty", "nothing", {}, { data: null, items: [] }],
  ])("has an output of the kind %s", async (kind, worker, input, output) => {
    const caller = await start();
    const job = await caller.follow(await caller.submit(worker, input));
    expect(job.output).toEqual({ kind, ...output, meta: expect.any(Object) });
    expect(job.files).toEqual([]);
  });

  it("lists files that can be had without a key, by their signature alone", async () => {
    const caller = await start();
    const job = await caller.follow(await caller.submit("render", { title: "Hi", pages: 1 }));
    const [file] = job.files as Record<string, string>[];
    expect(file).toMatchObject({ name: "page-1.txt", content_type: "text/plain", size_bytes: 10 });
    const url = String(file?.url);
    expect(await (await fetch(url)).text()).toBe("Hi\npage 1\n");
    expect((await fetch(url.replace("signature=", "signature=0"))).status).toBe(403);
  });

  it("tells durations that equal finished - started", async () => {
    const caller = await start();
    const job = await caller.follow(await caller.submit("sleep", { seconds: 2 }));
    const times = job.timestamps as Record<string, string>;
    const span = Date.parse(String(times.finished_at)) - Date.parse(String(times.started_at));
    expect(times.duration_ms).toBe(span);
    expect(span).toBeGreaterThanOrEqual(39);
  });
});

describe("bodies", () => {
  it.each([
    ["no JSON", "{", 400],
    ["an array", "[]", 400],
    ["a text", '"text"', 400],
    ["nothing", "", 400],
    ["no required field", {}, 400],
    ["a field of the wrong type", { text: 1 }, 422],
    ["a value outside the enum", { text: "x", style: "loud" }, 422],
    ["a field that the schema does not allow", { text: "x", colour: "red" }, 422],
    ["a webhook that is no URL", { text: "x", webhook: "nowhere" }, 422],
    ["an unknown priority", { text: "x", priority: "first" }, 422],
    ["control parameters", { text: "x", priority: "normal", webhook: "http://127.0.0.1:1/" }, 202],
  ])("with %s: %s -> %i", async (_name, body, status) => {
    const caller = await start();
    expect((await caller.call("POST", "/v1/workers/echo/jobs", body)).status).toBe(status);
    const { jobs } = (await caller.get("/v1/jobs")).body;
    expect(jobs).toHaveLength(status === 202 ? 1 : 0);
  });

  it("of an account without credits are 402", async () => {
    const caller = await start();
    const reply = await caller.call("POST", "/v1/workers/echo/jobs", { text: "x" }, "broke");
    expect(reply.status).toBe(402);
  });
});

describe("the catalogue", () => {
  it("filters by category and by text", async () => {
    const caller = await start();
    const listed = async (query: string) => {
      const { workers } = (await caller.get(`/v1/workers${query}`)).body;
      return workers as { name: string; category: string; tags: string[] }[];
    };
    const all = await listed("");
    expect(all.length).toBeGreaterThanOrEqual(8);
    expect(new Set(all.map(({ category }) => category)).size).toBeGreaterThanOrEqual(2);
    const data = await listed("?category=data");
    expect(data.length).toBe(all.filter(({ category }) => category === "data").length);
    for (const { name } of all) {
      const found = (await listed(`?q=${encodeURIComponent(name)}`)).map((worker) => worker.name);
      expect(found).toContain(name);
      expect(found.length).toBeLessThan(all.length);
    }
  });

  it("answers 404 for unknown workers, jobs and paths", async () => {
    const caller = await start();
    expect((await caller.get("/v1/workers/nix")).status).toBe(404);
    expect((await caller.call("POST", "/v1/workers/nix/jobs", {})).status).toBe(404);
    expect((await caller.call("POST", "/v1/workers/nix/publish")).status).toBe(404);
    expect((await caller.get("/v1/jobs/job_nix")).status).toBe(404);
    expect((await caller.get("/v1/elsewhere")).status).toBe(404);
  });

  it("lists an own worker once it is published", async () => {
    const caller = await start();
    const names = async () => (await caller.get("/v1/workers")).text.includes("my-worker");
    expect(await names()).toBe(false);
    expect((await caller.call("POST", "/v1/workers/my-worker/publish")).status).toBe(200);
    expect(await names()).toBe(true);
    expect((await caller.get("/v1/me/deployments")).text).toContain("PUBLISHED");
  });
});

describe("the job list", () => {
  it("has the latest 100 of the account, and nobody else's", async () => {
    const caller = await start();
    const ids: string[] = [];
    for (let n = 0; n < 103; n += 1) ids.push(await caller.submit("nothing", {}));
    const stranger = await caller.submit("nothing", {}, "pro-c");
    const { jobs } = (await caller.get("/v1/jobs")).body;
    const listed = (jobs as { job_id: string }[]).map(({ job_id }) => job_id);
    expect(listed).toEqual(ids.slice(3).reverse());
    expect((await caller.get(`/v1/jobs/${stranger}`)).status).toBe(404);
  });

  it(covers("drops the oldest ended jobs beyond the bound", "40 reference"), async () => {
    const caller = await start({ jobsKeptMax: 2 });
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const id = await caller.submit("nothing", {});
      await caller.follow(id);
      ids.push(id);
    }
    const statuses = await Promise.all(ids.map((id) => caller.get(`/v1/jobs/${id}`)));
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 200, 200]);
  });
});

describe("the rate limit", () => {
  it("admits a rested free key's 20 requests, then tells a wait that works", async () => {
    const caller = await startMoved();
    const burst = await Promise.all(
      Array.from({ length: 40 }, () => caller.get("/v1/me", "free-a")),
    );
    const admitted = burst.filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(20);
    const refused = burst.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect((await caller.get("/v1/me", "free-b")).status).toBe(200);
    await caller.pass(1_000);
    expect((await caller.get("/v1/jobs", "free-a")).status).toBe(200);
  });

  it("counts before route and body", async () => {
    const caller = await startMoved();
    const times = Array.from({ length: 30 }, (_, n) => n);
    const [routes, bodies] = await Promise.all([
      Promise.all(times.map(() => caller.get("/v1/nix", "free-a"))),
      Promise.all(times.map(() => caller.call("POST", "/v1/workers/echo/jobs", "{", "free-b"))),
    ]);
    expect(new Set(routes.map(({ status }) => status))).toEqual(new Set([404, 429]));
    expect(new Set(bodies.map(({ status }) => status))).toEqual(new Set([400, 429]));
    expect((await caller.get("/v1/me", "plk_nobody")).status).toBe(401);
  });
});

describe("odd requests", () => {
  it("need a key before anything else is said", async () => {
    const caller = await start();
    expect((await caller.get("/v1/jobs/%E0%A4", null)).status).toBe(401);
    expect((await caller.get("/v1/jobs/%E0%A4")).status).toBe(404);
    expect((await caller.call("POST", "/v1/me", {}, null)).status).toBe(401);
    expect((await caller.call("POST", "/v1/me", {})).status).toBe(404);
  });

  it("with a repeated query parameter are answered by the first", async () => {
    const caller = await start();
    const { workers } = (await caller.get("/v1/workers?q=Echo&q=Brief")).body;
    expect((workers as { worker_id: string }[]).map((worker) => worker.worker_id)).toEqual([
      "echo",
    ]);
  });
});

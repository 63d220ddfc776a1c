/** The service on a clock that the test moves: hours of its life take milliseconds. */

import { describe, expect, it } from "vitest";
import { textOf } from "../../reference/http.ts";
import { type CoreCaller, openCore } from "./core-of.ts";

const statusOf = (caller: CoreCaller, id: string) => caller.read(`/v1/jobs/${id}`).status;

describe("a job", () => {
  it("goes through its states at their times, and no earlier", async () => {
    const caller = openCore();
    const id = caller.submit("sleep", { seconds: 8 });
    const seen: [number, unknown][] = [];
    const startMs = caller.clock.nowMs();
    for (const untilMs of [0, 50, 100, 150, 200, 8_150, 8_200]) {
      await caller.pass(startMs + untilMs - caller.clock.nowMs());
      seen.push([untilMs, statusOf(caller, id)]);
    }
    expect(seen).toEqual([
      [0, "QUEUED"],
      [50, "QUEUED"],
      [100, "STARTING"],
      [150, "STARTING"],
      [200, "RUNNING"],
      [8_150, "RUNNING"],
      [8_200, "SUCCEEDED"],
    ]);
    expect(caller.read(`/v1/jobs/${id}`).timestamps).toEqual({
      submitted_at: "1970-01-01T00:16:40.000Z",
      started_at: "1970-01-01T00:16:40.200Z",
      finished_at: "1970-01-01T00:16:48.200Z",
      duration_ms: 8_000,
    });
  });

  it("that exceeds its limit is stopped by it", async () => {
    const caller = openCore({ variant: "A" });
    const id = caller.submit("sleep-short", { seconds: 60 });
    await caller.pass(20_050);
    expect(statusOf(caller, id)).toBe("running");
    await caller.pass(50);
    expect(caller.read(`/v1/jobs/${id}`)).toMatchObject({ status: "timeout", duration_ms: 20_000 });
  });

  it("stays where it is once the service is closed", async () => {
    const caller = openCore();
    const id = caller.submit("echo", { text: "x", webhook: "http://hook.test/" });
    caller.core.close();
    await caller.pass(10_000);
    expect(statusOf(caller, id)).toBe("QUEUED");
    expect(caller.posts).toEqual([]);
  });

  it("has files whose addresses are good for an hour", async () => {
    const caller = openCore();
    const id = caller.submit("render", { title: "Hi", pages: 1 });
    await caller.pass(30_000);
    const [file] = caller.read(`/v1/jobs/${id}`).files as { url: string }[];
    const address = String(file?.url).replace("http://core.test", "");
    const whole = caller.get(address, null);
    expect([whole.status, whole.headers, whole.text]).toEqual([
      200,
      { "content-type": "text/plain" },
      "Hi\npage 1\n",
    ]);
    expect(caller.get(address.replace("expires=", "expires=9"), null).status).toBe(403);
    caller.clock.advance(3_600_000);
    expect(caller.get(address, null).status).toBe(403);
  });
});

describe("a webhook", () => {
  const webhook = "http://hook.test/";

  it("that fails is posted again after 5, 30 and 300 s, and then no more", async () => {
    const caller = openCore({}, { status: 500 });
    caller.submit("echo", { text: "x", webhook });
    await caller.pass(400_000);
    const times = caller.posts.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, n) => atMs - (times[n] ?? 0));
    expect(gaps).toEqual([5_000, 30_000, 300_000]);
    expect(caller.posts[0]).toMatchObject({ url: webhook, limitMs: 10_000 });
    expect(caller.posts[0]?.headers["X-Service-Signature"]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(caller.posts.map(({ body }) => body)).size).toBe(1);
  });

  it("that succeeds is posted once", async () => {
    const caller = openCore();
    caller.submit("echo", { text: "x", webhook });
    await caller.pass(400_000);
    expect(caller.posts).toHaveLength(1);
  });
});

describe("the rate limit", () => {
  it("lets a free key's next request in 100 ms after its 20, and not before", () => {
    const caller = openCore();
    const status = () => caller.get("/v1/me", "free-a").status;
    expect(Array.from({ length: 20 }, status)).toEqual(Array(20).fill(200));
    const refused = caller.get("/v1/me", "free-a");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
    caller.clock.advance(99);
    expect(status()).toBe(429);
    caller.clock.advance(1);
    expect(status()).toBe(200);
    expect(status()).toBe(429);
  });

  it("is a key's own where it is given one, and no other's", () => {
    const { core, get } = openCore({ limits: { "free-a": { sustained: 5, burst: 7 } } });
    const many = (key: string) => Array.from({ length: 30 }, () => get("/v1/me", key).status);
    expect(many("free-a").filter((status) => status === 200)).toHaveLength(7);
    expect(many("free-b").filter((status) => status === 200)).toHaveLength(20);
    const plans = core.keys.map(({ name, plan }) => [name, plan]);
    expect(Object.fromEntries(plans)).toMatchObject({ "free-a": "enterprise", "free-b": "free" });
  });
});

describe("a fault", () => {
  it("that waits for a job's age looks at the service's clock", async () => {
    const caller = openCore({ faults: ["job.never-lost/vanishes-later"] });
    const id = caller.submit("echo", { text: "x" });
    await caller.pass(1_000);
    expect(statusOf(caller, id)).toBe("SUCCEEDED");
    const endedMs = Date.parse(
      String((caller.read(`/v1/jobs/${id}`).timestamps as Record<string, string>).finished_at),
    );
    caller.clock.advance(endedMs + 1_999 - caller.clock.nowMs());
    expect(caller.get(`/v1/jobs/${id}`).status).toBe(200);
    caller.clock.advance(1);
    expect(caller.get(`/v1/jobs/${id}`).status).toBe(404);
  });

  it("that shows under load only counts on the service's clock", () => {
    const delays = (gapMs: number) => {
      const caller = openCore({ faults: ["load.latency/slow-submit"] });
      return Array.from({ length: 400 }, () => {
        caller.clock.advance(gapMs);
        return caller.call("POST", "/v1/workers/nothing/jobs", {}).delayMs;
      });
    };
    const held = (gapMs: number) => delays(gapMs).filter((delayMs) => delayMs === 1_500).length;
    expect(held(40)).toBeGreaterThan(2);
    expect(held(5_000)).toBe(0);
  });
});

describe("the same seed", () => {
  async function told(seed: number): Promise<string> {
    const caller = openCore({}, { seed, status: 503 });
    const answers: unknown[] = [];
    for (let n = 0; n < 5; n += 1) {
      const body = { text: `${n}`, webhook: "http://hook.test/" };
      const { answer, delayMs } = caller.call("POST", "/v1/workers/echo/jobs", body);
      await caller.pass(350);
      for (const path of ["/v1/jobs", "/v1/me/credits", "/v1/nix", "/v1/workers?q=echo"]) {
        const { status, headers } = caller.get(path);
        answers.push([status, headers, textOf(caller.get(path))]);
      }
      answers.push([answer.status, answer.headers, textOf(answer), delayMs]);
    }
    await caller.pass(40_000);
    return JSON.stringify([answers, caller.posts]);
  }

  it("gives the same answers and webhooks to the byte, another one gives others", async () => {
    const first = await told(3);
    expect(first).toMatch(/job_[0-9a-f]{32}/);
    expect(await told(3)).toBe(first);
    expect(await told(4)).not.toBe(first);
  });
});

describe("a cancel that takes effect late", () => {
  it.each([
    ["A", "queued", "cancelled"],
    ["B", "QUEUED", "CANCELED"],
  ] as const)(
    "in variant %s leaves the job %s for 3 s, then %s",
    async (variant, before, after) => {
      const caller = openCore({ variant, choices: { cancelAfter: "3" } });
      const id = caller.submit("sleep", { seconds: 1 });
      expect(caller.call("DELETE", `/v1/jobs/${id}`).answer.status).toBe(200);
      const states = new Set<unknown>();
      for (let passedMs = 0; passedMs < 2_900; passedMs += 100) {
        states.add(statusOf(caller, id));
        await caller.pass(100);
      }
      expect([...states]).toEqual([before]);
      await caller.pass(200);
      expect(statusOf(caller, id)).toBe(after);
    },
  );

  it.each([
    ["leaves a running job alone", [], "completed"],
    ["cancels it with the fault that does", ["cancel.not-running/cancelled"], "cancelled"],
  ])("%s", async (_what, faults, end) => {
    const caller = openCore({ variant: "A", choices: { cancelAfter: "0.5" }, faults });
    const id = caller.submit("sleep", { seconds: 10 });
    await caller.pass(300);
    caller.call("DELETE", `/v1/jobs/${id}`);
    expect(statusOf(caller, id)).toBe("running");
    await caller.pass(11_000);
    expect(statusOf(caller, id)).toBe(end);
  });
});

/** Answers that no run's verdict tells of: a rejected key, failed polls, and slow answers. */

import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { Secret } from "../../../contract/text/secret.ts";
import { createClient } from "../../../http/client.ts";
import type { Emit } from "../../../probe/events.ts";
import { AnswerWatch } from "../../../probe/operation/answer-watch.ts";
import type { ProbePorts } from "../../../probe/ports.ts";
import type { StatusView } from "../../../probe/server/view.ts";
import { openReference } from "../../reference/open-reference.ts";
import { bendingProxy } from "../bending-proxy.ts";
import type { OpenProbe } from "../open-probe.ts";
import { canary, open } from "../open-probe.ts";

const STEP_MS = 60_000;

/** An answer of the account's, unless told otherwise; one a minute. */
interface Given extends Partial<Exchange> {
  tookMs?: number;
}

/** What is told of answers that came one after the other. */
async function toldOf(given: readonly Given[], lagMs = 0): Promise<readonly string[]> {
  const told: string[] = [];
  const emit: Emit = (event) => {
    if (event.type === "answer-fault") told.push(`${event.what}: ${event.why}`);
  };
  const watch = new AnswerWatch(emit, { since: async () => lagMs });
  for (const [at, { tookMs = 20, ...changes }] of given.entries()) {
    const sentAtMs = at * STEP_MS;
    const times = { sentAtMs, receivedAtMs: sentAtMs + tookMs };
    const what = { method: "GET", route: "me", path: "/v1/me", key: "pro" } as const;
    const answer = { requestBody: null, status: 200, headers: {}, body: "{}", error: null };
    watch.take({ ...what, ...answer, ...times, ...changes });
    // The lag of the machine is asked for first.
    await Promise.resolve().then(() => {});
  }
  return told;
}

const OK = {};
const REJECTED = { status: 401 };
const PUBLIC = { route: "workers", path: "/v1/workers" } as const;
const SLOW = { tookMs: 4_200 };
const PAGE = "with a web page, as of something in front of the service";
const LOST = { status: 0, error: "timeout", tookMs: 10_000 } as const;

describe("a key that is rejected", () => {
  it("between requests that are accepted is told, once it is accepted again", async () => {
    expect(await toldOf([OK, REJECTED])).toEqual([]);
    const once = ["rejected-key: GET /v1/me was answered 401"];
    expect(await toldOf([OK, REJECTED, OK, OK])).toEqual(once);
    const twice = [
      "rejected-key: GET /v1/me was answered 401; it was the last of 2 requests in a row",
    ];
    expect(await toldOf([OK, REJECTED, REJECTED, OK])).toEqual(twice);
    const forbidden = ["rejected-key: GET /v1/me was answered 403"];
    expect(await toldOf([OK, { status: 403 }, OK])).toEqual(forbidden);
  });

  it.each([
    ["before it was ever accepted", [REJECTED, OK]],
    ["by a page in front", [OK, { ...REJECTED, body: "<html>" }, OK]],
    ["for good, while the list of workers is public", [OK, REJECTED, PUBLIC, PUBLIC]],
    ["after an answer that was under way when it was revoked", [OK, REJECTED, { sentAtMs: 0 }]],
  ])("%s may be no valid one", async (_, given) => {
    expect(await toldOf(given)).toEqual([]);
  });
});

describe("answers that take seconds", () => {
  it("are told from the second within ten minutes on", async () => {
    const said = "slow: GET /v1/me was answered after 4.2 s";
    expect(await toldOf([SLOW, OK])).toEqual([]);
    expect(await toldOf([SLOW, OK, SLOW, SLOW])).toEqual([said, said]);
    expect(await toldOf([SLOW, ...Array<Given>(11).fill(OK), SLOW])).toEqual([]);
  });

  it("or do not come are told once another request is answered", async () => {
    expect(await toldOf([OK, LOST, LOST])).toEqual([]);
    const said = ["slow: GET /v1/me was not answered within 10 s"];
    expect(await toldOf([OK, LOST, LOST, OK])).toEqual(said);
  });

  it("are no news where this machine stood still as long", async () => {
    expect(await toldOf([SLOW, SLOW, SLOW, LOST, LOST, OK], 3_000)).toHaveLength(1);
    expect(await toldOf([SLOW, SLOW, SLOW], 3_000)).toEqual([]);
  });
});

describe("polls that are answered 5xx", () => {
  const POLL = { route: "job", path: "/v1/jobs/job-1" } as const;
  const FAILED = { ...POLL, status: 503 };
  const said = "failed-polls: GET /v1/jobs/job-1 was answered 503";

  it("between good ones are told from the second time within ten minutes on", async () => {
    expect(await toldOf([POLL, FAILED, POLL])).toEqual([]);
    expect(await toldOf([POLL, FAILED, POLL, FAILED, OK])).toEqual([]);
    expect(await toldOf([POLL, FAILED, POLL, FAILED, POLL])).toEqual([said]);
    const twice = `${said}; it was the last of 2 such requests in a row`;
    expect(await toldOf([FAILED, POLL, FAILED, FAILED, POLL, POLL])).toEqual([twice]);
  });

  it.each([
    ["an outage", [POLL, ...Array<Given>(5).fill(FAILED), POLL]],
    ["once an hour", [FAILED, POLL, ...Array<Given>(60).fill(OK), FAILED, POLL]],
    ["4xx", [{ ...POLL, status: 404 }, POLL, { ...POLL, status: 404 }, POLL]],
  ])("are no news of %s", async (_, given) => {
    expect(await toldOf(given)).toEqual([]);
  });

  it.each([
    [{ body: "<html>" }, `was answered 200 ${PAGE}`],
    [{ body: "<html>", status: 401 }, `was answered 401 ${PAGE}`],
    [{ body: '{"status": "runn' }, "was answered 200 with JSON that breaks off or is invalid"],
    [{ status: 0, error: "reset" }, "got no response (reset)"],
  ] as const)("are not the only ones that fail: %o", async (changes, what) => {
    const failed = { ...POLL, ...changes };
    const told = [`failed-polls: GET /v1/jobs/job-1 ${what}`];
    expect(await toldOf([failed, POLL, failed, POLL])).toEqual(told);
  });
});

const SUBMIT = { method: "POST", route: "submit", path: "/v1/workers/echo/jobs" } as const;
const GOOD = { ...SUBMIT, status: 202, body: '{"job_uuid": "job-1", "status": "queued"}' };

describe("polls that do not find a job", () => {
  const POLL = { route: "job", path: "/v1/jobs/job-1" } as const;
  const GONE = { ...POLL, status: 404 };

  it("that was accepted more than seconds before are told, as those that fail", async () => {
    const told = ["failed-polls: GET /v1/jobs/job-1 was answered 404"];
    expect(await toldOf([GOOD, GONE, POLL, GONE, POLL])).toEqual(told);
  });

  it("which a replica may not know yet, or of which nothing is known, are no news", async () => {
    const soon = { ...GONE, sentAtMs: 4_000, receivedAtMs: 4_020 };
    expect(await toldOf([GOOD, soon, POLL, soon, POLL, soon, POLL])).toEqual([]);
    expect(await toldOf([GONE, POLL, GONE, POLL])).toEqual([]);
  });
});

describe("submissions that get no usable response", () => {
  const RESET = { ...SUBMIT, status: 0, error: "reset" } as const;

  it.each([
    [RESET, "got no response (reset)"],
    [{ ...SUBMIT, ...LOST }, "got no response (timeout)"],
    [{ ...SUBMIT, status: 202, body: "{}" }, "was answered 202"],
    [{ ...SUBMIT, body: "<html>" }, `was answered 200 ${PAGE}`],
  ])("are told from the second time within ten minutes on: %o", async (lost, what) => {
    expect(await toldOf([lost, GOOD])).toEqual([]);
    const told = [`lost-submissions: POST /v1/workers/echo/jobs ${what}`];
    expect(await toldOf([lost, GOOD, lost, GOOD])).toEqual(told);
  });

  it("are no news where they failed their runs, or this machine stood still", async () => {
    const unsent = { ...RESET, error: "refused" } as const;
    expect(await toldOf([unsent, GOOD, unsent, GOOD])).toEqual([]);
    const failed = { ...SUBMIT, status: 503 };
    expect(await toldOf([failed, GOOD, failed, GOOD])).toEqual([]);
    expect(await toldOf([RESET, GOOD, RESET, GOOD], 3_000)).toEqual([]);
  });
});

async function problemsOf(address: string): Promise<StatusView["problems"]> {
  const view = (await (await fetch(`${address}/api/canaries`)).json()) as StatusView;
  return [...view.problems, ...view.over];
}

/**
 * Runs canaries until a problem of that cause is told: what a run of this machine's own lag leaves
 * in doubt, another one tells.
 */
async function runsUntil({ once, address }: OpenProbe["probe"], cause: string) {
  for (;;) {
    const told = (await problemsOf(address)).find((each) => each.cause === cause);
    if (told !== undefined) return told;
    await once();
  }
}

const NONE_OF_ITS = new Secret("none-of-the-service's");

/** Every third request with the key is answered as if the key were none. */
const rejecting: ProbePorts["createClient"] = (baseUrl, options) => {
  const client = createClient(baseUrl, options);
  let count = 0;
  return {
    send: (request) => {
      count += 1;
      const key = request.key == null ? null : { ...request.key, value: NONE_OF_ITS };
      return client.send(count % 3 === 2 ? { ...request, key } : request);
    },
    close: () => client.close(),
  };
};

/** The first poll of each job is answered 503. */
const failingPolls: ProbePorts["createClient"] = (baseUrl, options) => {
  const client = createClient(baseUrl, options);
  const polled = new Set<string>();
  return {
    send: async (request) => {
      const exchange = await client.send(request);
      if (exchange.route !== "job" || polled.has(exchange.path)) return exchange;
      polled.add(exchange.path);
      return { ...exchange, status: 503, body: "" };
    },
    close: () => client.close(),
  };
};

/** The answer to each submission is lost on its way. */
const losingAnswers: ProbePorts["createClient"] = (baseUrl, options) => {
  const client = createClient(baseUrl, options);
  return {
    send: async (request) => {
      const exchange = await client.send(request);
      if (exchange.route !== "submit") return exchange;
      return { ...exchange, status: 0, body: "", headers: {}, error: "reset" };
    },
    close: () => client.close(),
  };
};

describe("the status page says it", () => {
  it("of submissions that are never answered, although their jobs are found", async () => {
    const ports = { createClient: losingAnswers };
    const { probe, sample } = await open({ canaries: [canary("success")], ports });
    await runsUntil(probe, "answers.lost-submissions");
    expect(await sample(/canary_runs_total.*outcome="http_error"/)).toBe(0);
    expect(await sample(/response_faults_total.*"lost-submissions"/)).toBeGreaterThan(0);
  });

  it("of a key that is rejected in between", async () => {
    const ports = { createClient: rejecting };
    const { probe, log } = await open({ canaries: [canary("success")], ports });
    for (let run = 0; run < 4; run += 1) await probe.once();
    await runsUntil(probe, "answers.rejected-key");
    const problems = await problemsOf(probe.address);
    expect(problems).toContainEqual(
      expect.objectContaining({
        cause: "answers.rejected-key",
        title: "The service rejects a key that it accepts before and after",
        runbook: "PlumblineResponsesFaulty",
        sinceMs: expect.any(Number),
      }),
    );
    const page = await (await fetch(probe.address)).text();
    expect(page).toContain("The service rejects a key that it accepts before and after");
    expect(log.join("\n")).toContain("answered 401");
  });

  it("of polls that fail between good ones, although the run is a success", async () => {
    const ports = { createClient: failingPolls };
    const { probe } = await open({ canaries: [canary("slow")], ports });
    for (let run = 0; run < 3; run += 1) {
      expect([...(await probe.once()).values()][0]?.outcome).toBe("success");
    }
    const found = await runsUntil(probe, "answers.failed-polls");
    expect(found.title).toBe("Some polls fail between good ones");
    expect(found.details[0]).toMatch(/^GET .*\/jobs\/\S+ was answered 503$/);
  });

  it("of submissions that are answered at the run's end only", async () => {
    // Well above two seconds, so that what this machine's lag explains of it changes nothing.
    const reference = { timeScale: 0.6 };
    const canaries = [canary("slow", { deadlineMs: 30_000 })];
    const { probe, service, sample } = await open({ reference, canaries });
    service.faults.enable("submit.asynchronous/waits-for-the-run");
    const slow = await runsUntil(probe, "answers.slow");
    expect(slow.title).toBe("Responses take seconds, or do not come");
    expect(slow.details[0]).toMatch(/^POST .*\/jobs was answered after/);
    // The first run was polled late, as nothing was known of how long the job takes.
    const awaited = await runsUntil(probe, "answers.awaits-run");
    const causes = (await problemsOf(probe.address)).map(({ cause }) => cause);
    expect(causes.filter((cause) => cause.startsWith("answers."))).toEqual(["answers.awaits-run"]);
    expect(awaited.title).toContain("responds to submissions only when the job has run");
    const seconds = String.raw`(?:[4-9]|\d\d)(?:\.\d+)?`;
    expect(awaited.details[0]).toMatch(
      new RegExp(`^POST .* was answered after ${seconds} s; its job ran ${seconds} s`),
    );
    expect(await sample(/violations_total.*submit\.asynchronous/)).toBe(0);
  });

  it("of answers that take seconds, although the run is a success", async () => {
    const service = await openReference({ timeScale: 0.02 });
    const answer = async (body: string) => {
      await wait(5_000);
      return body;
    };
    const baseUrl = await bendingProxy(service.baseUrl, { answer });
    const slowly = canary("success", { deadlineMs: 60_000 });
    const { probe } = await open({ canaries: [slowly], target: { baseUrl } });
    const settled = await probe.once();
    expect([...settled.values()].map((each) => each?.outcome)).toEqual(["success"]);
    await runsUntil(probe, "answers.slow");
  });
});

/** Choices that the specification leaves open: their values work, and show. */

import { describe, expect, it } from "vitest";
import { nextPageQuery } from "../../contract/answers/next-page.ts";
import { CHOICE_NAMES, CHOICES, type Choices, fillChoices } from "../../reference/choices.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { drawnCases } from "../drawn-cases.ts";
import { start, startMoved } from "./client.ts";

const cases = CHOICE_NAMES.flatMap((name) => CHOICES[name].values.map((value) => [name, value]));

describe("each lawful choice", () => {
  it.each(drawnCases("choices", cases, 3))("%s = %s still completes a job", async (name, value) => {
    for (const variant of ["A", "B"] as const) {
      const caller = await start({ variant, choices: { [String(name)]: value } });
      const job = await caller.follow(await caller.submit("echo", { text: "x" }));
      expect(String(job.status)).toMatch(/^(completed|SUCCEEDED)$/);
    }
  });

  it("defaults to its first value", () => {
    const filled = fillChoices();
    for (const name of CHOICE_NAMES) expect(filled[name]).toBe(CHOICES[name].values[0]);
  });
});

describe("fields without a value", () => {
  it.each([
    ["null", null],
    ["absent", undefined],
    ["empty", ""],
  ] as const)("are %s", async (noValue, expected) => {
    const caller = await startMoved({ variant: "A", choices: { noValue } });
    const id = await caller.submit("sleep", { seconds: 20 });
    const { body } = await caller.get(`/v1/jobs/${id}`);
    expect(body.completed_at).toBe(expected);
    expect("completed_at" in body).toBe(noValue !== "absent");
    await caller.pass(20_000);
    await caller.follow(id);
  });
});

describe("cancelling", () => {
  const methods = CHOICES.cancelMethod.values;
  const bodies = CHOICES.cancelBody.values;
  it.each(methods.flatMap((method) => bodies.map((body) => [method, body] as const)))(
    "works by %s with body %s, as the target says, and not by another method",
    async (cancelMethod, cancelBody) => {
      // In real time four jobs of a minute occupy the worker for as long as a busy machine needs.
      const caller = await start({ timeScale: 1, choices: { cancelMethod, cancelBody } });
      const { cancel } = embeddedTarget(caller.service).target;
      const input = { seconds: 60 };
      for (let n = 0; n < 4; n += 1) await caller.submit("sleep", input);
      const id = await caller.submit("sleep", input);
      const other = cancelMethod === "PUT" ? "PATCH" : "PUT";
      expect((await caller.call(other, `/v1/jobs/${id}`, {})).status).toBe(404);
      const body = cancel?.body ?? undefined;
      expect((await caller.call(cancelMethod, `/v1/jobs/${id}`, body)).status).toBe(200);
      expect((await caller.get(`/v1/jobs/${id}`)).body.status).toBe("CANCELED");
    },
  );
});

describe("methods that a job's path does not have", () => {
  it.each(CHOICES.otherMethod.values)("are answered %s", async (otherMethod) => {
    const caller = await start({ choices: { otherMethod, cancelMethod: "PUT" } });
    for (const method of ["DELETE", "POST", "PATCH"]) {
      const { status } = await caller.call(method, "/v1/jobs/any", {});
      expect(status).toBe(Number(otherMethod));
    }
  });
});

describe("shapes", () => {
  const get = async (choices: Partial<Choices>, path: string) =>
    (await start({ choices })).get(path);

  it("of the job list", async () => {
    expect((await get({ jobsShape: "array" }, "/v1/jobs")).text).toBe("[]");
    expect((await get({ jobsShape: "items" }, "/v1/jobs")).text).toBe('{"items":[]}');
    const caller = await start({ choices: { jobsShape: "names" } });
    const { body } = await caller.call("POST", "/v1/workers/echo/jobs", { text: "hi" });
    const listed = (await caller.get("/v1/jobs")).body.jobs;
    expect(listed).toMatchObject([{ name: expect.stringMatching(`/jobs/${body.job_uuid}$`) }]);
  });

  it("of errors other than 401", async () => {
    const unknown = (errorBody: Choices["errorBody"]) => get({ errorBody }, "/v1/jobs/nix");
    expect((await unknown("empty")).text).toBe("");
    expect((await unknown("text")).headers.get("content-type")).toMatch("text/plain");
    expect((await unknown("nested")).body).toEqual({ error: expect.any(Object) });
    expect((await unknown("problem")).headers.get("content-type")).toMatch("problem+json");
  });

  const paginations = CHOICES.workersPagination.values.filter((kind) => kind !== "none");
  it.each(paginations)(
    "of pages of workers, which together are the whole list: %s",
    async (kind) => {
      const whole = (await get({}, "/v1/workers")).body.workers as unknown[];
      const caller = await start({ choices: { workersPagination: kind } });
      const seen: unknown[] = [];
      let pages = 0;
      for (let query: string | null = ""; query !== null; ) {
        const { body, headers } = await caller.get(`/v1/workers?${query}`);
        seen.push(...(body.workers as unknown[]));
        pages += 1;
        const read = { pages, entries: seen.length, pageLength: 4 };
        query = nextPageQuery(body, headers.get("link") ?? "", read);
      }
      const distinct = new Set(seen.map((entry) => JSON.stringify(entry)));
      expect([...distinct]).toEqual(whole.map((entry) => JSON.stringify(entry)));
      expect(seen.length > whole.length).toBe(kind === "overlap");
    },
  );

  it("of a public worker list, beside endpoints that are not", async () => {
    const caller = await start({ choices: { workersPublic: "yes" } });
    expect((await caller.get("/v1/workers", null)).status).toBe(200);
    expect((await caller.get("/v1/workers", "plk_nobody")).status).toBe(401);
    expect((await caller.get("/v1/workers/echo", null)).status).toBe(401);
  });

  it("of an HTTP-date in Retry-After, read against the answer's own Date", async () => {
    // Refused soon, however slowly they come: a rested key has a burst, and then one a second.
    const limits = { "free-a": { sustained: 1, burst: 5 } };
    const caller = await start({ limits, choices: { retryAfter: "http-date" } });
    const burst = await Promise.all(
      Array.from({ length: 40 }, () => caller.get("/v1/me", "free-a")),
    );
    const { headers } = burst.find(({ status }) => status === 429) ?? { headers: new Headers() };
    const until = Date.parse(headers.get("retry-after") ?? "");
    const waitMs = until - Date.parse(headers.get("date") ?? "");
    expect([1_000, 2_000]).toContain(waitMs);
  });
});

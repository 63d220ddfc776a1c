/** Both variants' job objects become one job, and problems say where and what. */

import { describe, expect, it } from "vitest";
import { decodeAccepted } from "../../../contract/decode/accepted.ts";
import { decodeAuthError } from "../../../contract/decode/auth-error.ts";
import { decodeJob } from "../../../contract/decode/job.ts";
import { decodeWorker, decodeWorkerList } from "../../../contract/decode/worker.ts";
import { acceptedBody, INPUT_MARK, jobBody } from "../judges/job/fixtures.ts";

const TIME = "2026-01-02T03:04:05.500Z";

describe("a job", () => {
  it("of variant A and one of variant B are told in the same words", () => {
    const [a, b] = [jobBody("A", "completed", "j"), jobBody("B", "completed", "j")];
    for (const body of [a, b]) {
      expect(decodeJob(body).value).toMatchObject({
        id: "j",
        workerId: "echo",
        state: "completed",
        durationMs: 5_000,
        createdAt: { text: "2026-01-02T03:04:05.005Z", fractionDigits: 3 },
        finishedAt: { text: "2026-01-02T03:04:10.500Z" },
        error: null,
      });
    }
    expect(decodeJob(a).value?.result).toEqual({ text: INPUT_MARK, nested: { list: [1, 2] } });
    expect(decodeJob(b).value?.result).toEqual({ text: INPUT_MARK });
    expect(decodeJob(a).value?.cost.credits).toBe(2);
    expect(decodeJob(b).value?.cost).toMatchObject({ totalUsd: 0.3, runUsd: 0.1, infraUsd: 0.2 });
    expect(decodeJob(b).value?.startedAt?.text).toBe(TIME);
  });

  it.each([0.1 + 0.2 - 0.3, 0.3 - 0.1 - 0.2])("that costs %d of a credit costs nothing", (cost) => {
    const body = { ...jobBody("A", "timeout", "j"), cost_credits: cost };
    expect(decodeJob(body)).toMatchObject({ value: { cost: { credits: 0 } }, problems: [] });
  });

  it("costs as much as it does without what sums of doubles leave", () => {
    const body = { ...jobBody("A", "completed", "j"), cost_credits: 0.1 + 0.2 };
    expect(decodeJob(body).value?.cost.credits).toBe(0.3);
  });

  it("that costs a millionth of a cent, or less than nothing, is not taken for free", () => {
    const [dear, wrong] = [1e-8, -1e-8].map((cost) => {
      return decodeJob({ ...jobBody("A", "timeout", "j"), cost_credits: cost });
    });
    expect(dear?.value?.cost.credits).toBe(1e-8);
    expect(wrong?.problems).toMatchObject([{ promise: "job.cost" }]);
  });

  it("of kind list has its items for a result", () => {
    const body = jobBody("B", "completed", "j");
    body.output = { kind: "list", data: null, items: [1, 2], meta: {} };
    expect(decodeJob(body).value?.result).toEqual([1, 2]);
  });

  it("that carries both variants' names goes by its status", () => {
    const both = { ...jobBody("A", "running", "j"), ...jobBody("B", "running", "j") };
    expect(decodeJob(both).variant).toBe("B");
    expect(decodeJob({ ...both, status: "running" }).variant).toBe("A");
  });

  it("with an unknown status has no state and keeps its text", () => {
    const body = { ...jobBody("B", "running", "j"), status: "PAUSED" };
    const { value, problems } = decodeJob(body);
    expect(value).toMatchObject({ state: null, statusText: "PAUSED" });
    expect(problems).toEqual([]);
  });

  it("names the place, the expected and the found of each problem", () => {
    const body = jobBody("B", "completed", "j");
    body.timestamps.started_at = "yesterday";
    body.files[0].size_bytes = "3";
    delete body.worker_id;
    expect(decodeJob(body).problems).toEqual([
      {
        promise: "job.shape",
        path: "worker_id",
        expected: "a non-empty string",
        got: "missing",
      },
      {
        promise: "job.timestamps",
        path: "timestamps.started_at",
        expected: "ISO 8601 in UTC",
        got: '"yesterday"',
      },
      {
        promise: "job.files",
        path: "files[0].size_bytes",
        expected: "an integer of at least 0",
        got: '"3"',
      },
    ]);
  });

  it.each([undefined, null, 7, "job", [], {}, { detail: "not found" }])("is not %j", (body) => {
    const { value, variant, problems } = decodeJob(body);
    expect([value, variant]).toEqual([null, null]);
    expect(problems).toHaveLength(1);
  });
});

describe("an accepted object", () => {
  it.each(["A", "B"] as const)("of variant %s is read", (variant) => {
    const decoded = decodeAccepted(acceptedBody(variant, "j"));
    expect(decoded).toMatchObject({ variant, problems: [] });
    expect(decoded.value).toMatchObject({ id: "j", workerId: "echo", state: "queued" });
    expect(decoded.value?.estimatedCredits).toBe(variant === "A" ? 2 : null);
  });

  it("that names its job by job_id alone is a problem, and still tells the job", () => {
    const { value, problems } = decodeAccepted({ ...acceptedBody("B", ""), job_id: "j" });
    expect(value?.id).toBe("j");
    expect(problems.map((each) => each.path)).toEqual(["job_uuid"]);
  });
});

describe("workers", () => {
  const entry = {
    worker_id: "echo",
    name: "Echo",
    price_per_run_usd: 0.01,
    billing_mode: "per_run",
    short_description: "Says it again",
    category: "text",
    tags: ["a"],
  };

  it("are listed with the place of each problem", () => {
    const broken = { ...entry, tags: "a", price_per_run_usd: null };
    const decoded = decodeWorkerList({ workers: [entry, broken, 3], next: null });
    expect(decoded.value).toHaveLength(2);
    expect(decoded.value?.[0]).toMatchObject({ id: "echo", category: "text", priceUsd: 0.01 });
    const paths = decoded.problems.map((each) => each.path);
    expect(paths).toEqual(["workers[1].price_per_run_usd", "workers[1].tags", "workers[2]"]);
  });

  it("that are billed by events need no price per run", () => {
    const metered = { ...entry, billing_mode: "per_event", price_per_run_usd: undefined };
    expect(decodeWorkerList({ workers: [metered] }).problems).toEqual([]);
  });

  it.each([
    ["timeout_seconds", { timeout_seconds: 20 }, 20],
    ["max_duration", { max_duration: 30 }, 30],
    ["both, of which timeout_seconds counts", { timeout_seconds: 20, max_duration: 30 }, 20],
    ["no limit", {}, null],
    ["a limit of nothing", { timeout_seconds: 0 }, null],
  ])("state their limit by %s", (_, limit, seconds) => {
    const detail = { ...entry, status: "ACTIVE", input_schema: {}, readme_content: null };
    const { value, problems } = decodeWorker({ ...detail, ...limit });
    expect(value?.timeoutSeconds).toBe(seconds);
    expect(problems).toHaveLength(seconds === null ? 1 : 0);
  });
});

describe("the body of a 401", () => {
  const body = { error: "unauthorized", message: "no key", status: 401 };
  it.each([
    ["as documented", body, []],
    ["with another status", { ...body, status: 403 }, ["status"]],
    ["with the status as a text", { ...body, status: "401" }, ["status"]],
    ["without a message", { ...body, message: undefined }, ["message"]],
    ["with an object for an error", { ...body, error: { code: 1 } }, ["error"]],
    ["that is no object", "Unauthorized", ["$"]],
  ])("%s", (_, value, paths) => {
    expect(decodeAuthError(value).problems.map((each) => each.path)).toEqual(paths);
  });
});

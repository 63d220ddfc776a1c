/** Blocks of real load: what ends a comparison beside its verdict, and what it may cost. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import type { BlockOptions } from "../../../capacity/compare/block-run.ts";
import { runBlock } from "../../../capacity/compare/block-run.ts";
import { Comparison } from "../../../capacity/compare/comparison.ts";
import { evenMargins } from "../../../capacity/compare/metrics.ts";
import type { RunOptions } from "../../../capacity/compare/run-comparison.ts";
import { openedSide, runComparison } from "../../../capacity/compare/run-comparison.ts";
import type { Subject } from "../../../capacity/compare/side.ts";
import { jobsPerSecond, subjectOf } from "../../../capacity/compare/side.ts";
import { embeddedTarget } from "../../../reference/embedded-target.ts";
import { startReference } from "../../../reference/service.ts";
import { serve } from "../../http/serve.ts";

const RATE = 20;
const BLOCK_SECONDS = 0.2;
const JOBS_A_BLOCK = 4;

async function service(variant: "A" | "B" = "B") {
  const started = await startReference({ timeScale: 0.02, variant });
  const { target, secrets } = embeddedTarget(started);
  return { target, secrets, [Symbol.asyncDispose]: () => started.close() };
}

function subject(name: Subject["name"], { target, secrets }: Awaited<ReturnType<typeof service>>) {
  const made = subjectOf(name, target, secrets);
  if (typeof made === "string") throw new Error(made);
  return made;
}

/** A block of real load that was so late: no time of this machine decides what it counts for. */
const lateBy = (lagMs: number) => async (options: BlockOptions) => {
  return { ...(await runBlock(options)), lagMs };
};

async function run(base: Subject, difference: Partial<RunOptions> = {}, loads = lateBy(0)) {
  const margins = evenMargins(0.05);
  const comparison = new Comparison({ roundsMax: 8, margins, seed: 1 });
  const options: RunOptions = {
    subjects: { base, candidate: { ...base, name: "candidate" } },
    jobsPerSecond: RATE,
    blockSeconds: BLOCK_SECONDS,
    seed: 1,
    budgets: { base: null, candidate: null },
    signal: new AbortController().signal,
    onRound: () => {},
    runsToTheEnd: true,
    ...difference,
  };
  return { comparison, outcome: await runComparison(comparison, options, loads) };
}

function budgetOfARound(): Pick<RunOptions, "budgets"> {
  const budget = { jobs: 3 * JOBS_A_BLOCK, credits: null, usd: null };
  return { budgets: { base: budget, candidate: budget } };
}

const ONE_ROUND = budgetOfARound();

/** Address of a server that passes requests on, and answers as it is told to. */
async function inFrontOf(
  { target }: Subject,
  answered: (status: number, body: string, response: ServerResponse) => void,
): Promise<string> {
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url = "/", headers } = request;
    const body = method === "POST" ? { body: await text(request) } : {};
    const key = String(headers["x-api-key"]);
    const init = { method, headers: { "x-api-key": key, "content-type": "application/json" } };
    const answer = await fetch(target.baseUrl + url, { ...init, ...body });
    answered(answer.status, await answer.text(), response);
  };
  return serve((request, response) => void forward(request, response));
}

describe("runComparison", () => {
  it.each(["A", "B"] as const)("stays within the budget of variant %s", async (variant) => {
    await using opened = await service(variant);
    const jobs = 7 * JOBS_A_BLOCK;
    const budgets = { base: { jobs, credits: null, usd: null }, candidate: null };
    const { comparison, outcome } = await run(subject("base", opened), { budgets });
    expect(outcome.ending).toBe("budget");
    expect(outcome.spent.base.jobs).toBeLessThanOrEqual(jobs);
    expect(comparison.rounds.length).toBeGreaterThanOrEqual(1);
    const block = comparison.rounds[0]?.[0];
    expect(block?.attempts).toBe(JOBS_A_BLOCK);
    expect([block?.failures, block?.figures.errors]).toEqual([0, 0]);
    expect(block?.figures.throughput).toBeGreaterThan(0);
    expect(outcome.failures).toEqual([]);
  });

  it("counts no round in which requests were refused by a limiter, and gives up", async () => {
    await using opened = await service();
    const baseUrl = await serve((_, response) => {
      response.writeHead(429, { "retry-after": "0" }).end("{}");
    });
    const base = subject("base", opened);
    const elsewhere = { ...base, target: { ...base.target, baseUrl } };
    const { comparison, outcome } = await run(elsewhere);
    expect([outcome.ending, outcome.discarded]).toEqual(["throttled", 4]);
    expect(comparison.rounds).toEqual([]);
    expect(outcome.failures).toContain("base: a submission was answered 429");
  });

  it("counts no round in which the generator was late, and gives up", async () => {
    await using opened = await service();
    const { comparison, outcome } = await run(subject("base", opened), {}, lateBy(151));
    expect([outcome.ending, outcome.discarded]).toEqual(["slow generator", 4]);
    expect(comparison.rounds).toEqual([]);
  });

  it.each([
    ["gzip", "gzip", gzipSync],
    ["deflate", "deflate", deflateSync],
    ["deflate without a frame", "deflate", deflateRawSync],
    ["br", "br", brotliCompressSync],
  ] as const)("reads a service that always packs its answers: %s", async (_, coding, pack) => {
    await using opened = await service();
    const base = subject("base", opened);
    const baseUrl = await inFrontOf(base, (status, body, response) => {
      response.writeHead(status, { "content-encoding": coding }).end(pack(body));
    });
    const { outcome } = await run({ ...base, target: { ...base.target, baseUrl } }, ONE_ROUND);
    expect(outcome.failures).toEqual([]);
  });

  it.each([200, 201])("follows jobs that are accepted with %i", async (accepted) => {
    await using opened = await service();
    const base = subject("base", opened);
    const baseUrl = await inFrontOf(base, (status, body, response) => {
      response.writeHead(status === 202 ? accepted : status).end(body);
    });
    const { outcome } = await run({ ...base, target: { ...base.target, baseUrl } }, ONE_ROUND);
    expect(outcome.failures).toEqual([]);
  });

  it("reads a Retry-After that is a date against the answer's own clock", async () => {
    await using opened = await service();
    const baseUrl = await serve((_, response) => {
      const date = "Sun, 06 Nov 1994 08:49:37 GMT";
      const after = "Sun, 06 Nov 1994 08:49:42 GMT";
      response.writeHead(429, { date, "retry-after": after }).end("{}");
    });
    const base = subject("base", opened);
    const side = openedSide({ ...base, target: { ...base.target, baseUrl } }, { jobsPerSecond: 1 });
    const { signal } = new AbortController();
    const load = { jobsPerSecond: 5, seconds: 0.2, endsBy: "byPolls" } as const;
    const { heldMs } = await runBlock({ side, ...load, lives: [], signal });
    await side.client.close();
    expect(heldMs).toBe(5_000);
  });

  it("says what it can't read of an acceptance", async () => {
    await using opened = await service();
    const baseUrl = await serve((_, response) => {
      response.writeHead(202).end("no JSON");
    });
    const base = subject("base", opened);
    const elsewhere = { ...base, target: { ...base.target, baseUrl } };
    const { outcome } = await run(elsewhere, ONE_ROUND);
    const failure = "a submission was answered 202 with nothing that can be read";
    expect(outcome.failures).toContain(`base: ${failure}`);
  });

  it("times jobs from outside where one side states whole seconds", async () => {
    await using opened = await service();
    const base = subject("base", opened);
    const baseUrl = await inFrontOf(base, (status, body, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(body.replaceAll(/\.\d+Z"/g, 'Z"'));
    });
    const candidate = { ...base, name: "candidate", target: { ...base.target, baseUrl } } as const;
    const stop = new AbortController();
    const short = { signal: stop.signal, onRound: () => stop.abort() };
    const unlike = await run(base, { ...short, subjects: { base, candidate } });
    expect(unlike.outcome.failures).toEqual([]);
    expect(unlike.outcome.endsBy).toBe("byPolls");
    const like = await run(base, { signal: AbortSignal.timeout(60_000), ...budgetOfARound() });
    expect(like.outcome.endsBy).toBe("byService");
  });

  it("ends at once when it is interrupted, with what is there", async () => {
    await using opened = await service();
    const controller = new AbortController();
    const stop = { signal: controller.signal, onRound: () => controller.abort() };
    const { comparison, outcome } = await run(subject("base", opened), stop);
    expect([outcome.ending, comparison.rounds.length]).toEqual(["interrupted", 1]);
  });
});

describe("a side", () => {
  it("carries its load by the active key with the highest rate, below its plan", async () => {
    await using opened = await service();
    const base = subject("base", opened);
    expect([base.key.name, base.requestsPerSecond]).toEqual(["big", 120]);
    expect(jobsPerSecond(1_000, [base])).toBe(40);
    expect(jobsPerSecond(5, [base])).toBe(5);
  });

  it("is refused without a worker or a key", async () => {
    await using opened = await service();
    const { target, secrets } = opened;
    expect(subjectOf("base", { ...target, workers: {} }, secrets)).toMatch(
      /workers.success is missing/,
    );
    const keys = target.keys.filter(({ state }) => state !== "active");
    expect(subjectOf("base", { ...target, keys }, secrets)).toMatch(/no active key/);
  });
});

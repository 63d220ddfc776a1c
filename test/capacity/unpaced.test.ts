/** As fast as connections go, on real servers: where the objectives end it, and what it tells. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { CapacityObjective } from "../../capacity/options.ts";
import { findUnpaced } from "../../capacity/unpaced.ts";
import { fire } from "../../capacity/unpaced-burst.ts";
import { Secret } from "../../contract/secret.ts";
import { searchOptions } from "./options.ts";

/** How an answer comes, by the number of requests that are open with it and that came before. */
type Behaviour = (open: number, before: number) => { afterMs: number; status: number };

async function server(behaviour: Behaviour) {
  let open = 0;
  let before = 0;
  const http = createServer(async (_request, response) => {
    open += 1;
    const { afterMs, status } = behaviour(open, before);
    before += 1;
    // Requests of a burst that is over are not open any more, whether answered or not.
    response.once("close", () => {
      open -= 1;
    });
    await sleep(afterMs);
    response.statusCode = status;
    response.end("{}");
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  const close = () => {
    http.closeAllConnections();
    http.close();
    return Promise.resolve();
  };
  return { baseUrl: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

const ERRORS: CapacityObjective = { kind: "errors", belowShare: 0.2, text: "errors<20%" };
const FAST: CapacityObjective = {
  ...{ kind: "quantile", figure: "latency", q: 0.95, text: "p95<250ms" },
  belowMs: 250,
};

function optionsFor(baseUrl: string) {
  const given = searchOptions({ of: "requests", stepMs: 3_000, objectives: [ERRORS, FAST] });
  const key = { ...given.keys[0], env: "K" } as (typeof given.keys)[number];
  const target = { ...given.target, baseUrl };
  return { ...given, target, keys: [key], secrets: new Map([["K", new Secret("x")]]) };
}

async function searched(behaviour: Behaviour) {
  await using service = await server(behaviour);
  return await findUnpaced(optionsFor(service.baseUrl), 16);
}

describe.concurrent("an unpaced search", { timeout: 60_000 }, () => {
  it.each<[string, Behaviour, string]>([
    ["fail", (open) => ({ afterMs: 20, status: open > 1 ? 500 : 200 }), "errors"],
    ["are late", (open) => ({ afterMs: open > 1 ? 400 : 20, status: 200 }), "answers"],
  ])("stays with the connections at which no answers %s", async (_name, behaviour, bottleneck) => {
    const { steps, outcome, exitCode, bottleneck: found, summary } = await searched(behaviour);
    expect(steps.map(({ connections }) => connections)).toEqual([1, 2, 1, 1, 1, 1, 1]);
    expect([outcome, exitCode, found?.bottleneck]).toEqual(["found", 0, bottleneck]);
    expect(summary).toMatch(/; 2 connections did not keep the objectives: /);
  });

  it("is below where one connection is too many already", async () => {
    const { steps, ...result } = await searched(() => ({ afterMs: 20, status: 500 }));
    expect(steps).toHaveLength(1);
    expect(result).toMatchObject({ outcome: "below", exitCode: 99, estimate: null });
    expect(result.summary).toMatch(/^not even one connection kept the objectives: \d+ of \d+/);
  });

  it("tells the p95, not one beyond it", async () => {
    const slow: Behaviour = (_open, before) => {
      return { afterMs: before % 30 === 29 ? 300 : 10, status: 200 };
    };
    await using service = await server(slow);
    const { latencyMs } = await fire(optionsFor(service.baseUrl), 2, 3);
    expect(latencyMs?.p95).toBeLessThan(250);
    expect(latencyMs?.p99).toBeGreaterThanOrEqual(250);
  });
});

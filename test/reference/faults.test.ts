/** The fault catalogue and its switches: complete, traceless when off, one service at a time. */

import { describe, expect, it } from "vitest";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { type Caller, start } from "./client.ts";

describe("the catalogue of faults", () => {
  it("breaks each of the promises", () => {
    const broken = new Set(FAULTS.filter((fault) => !fault.nearMiss).map(({ promise }) => promise));
    expect(PROMISE_IDS.filter((id) => !broken.has(id))).toEqual([]);
  });

  it("has each name once, made of the promise and what is wrong", () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
    for (const { name, promise, nearMiss } of FAULTS) {
      expect(name).toMatch(/^[a-z]+\.[a-z0-9-]+\/[a-z0-9.-]+$/);
      expect(name.startsWith(`${promise}/`)).toBe(true);
      expect(name.slice(promise.length + 1).startsWith("near-")).toBe(nearMiss);
    }
  });

  it("names no promise as the companion of itself", () => {
    for (const { promise, companions } of FAULTS) expect(companions ?? []).not.toContain(promise);
  });
});

/** What differs between two runs of a healthy service: identifiers, times, addresses, the queue. */
function normalised(text: string, caller: Caller): string {
  return text
    .replaceAll(caller.service.baseUrl, "http://service")
    .replaceAll(/job_[0-9a-f]{32}/g, "job")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
    .replaceAll(/expires=\d+&signature=[0-9a-f]+/g, "signed");
}

/** One of each kind of answer, with its headers. */
async function transcript(caller: Caller): Promise<string[]> {
  const lines: string[] = [];
  const note = async (method: string, path: string, body?: unknown, key?: string | null) => {
    const reply = await caller.call(method, path, body, key);
    // The length follows from the text, and from how many digits a duration has.
    const varying = reply.text.includes("duration_ms") ? ["date", "content-length"] : ["date"];
    const headers = [...reply.headers].filter(([name]) => !varying.includes(name));
    lines.push(normalised(`${reply.status} ${JSON.stringify(headers)} ${reply.text}`, caller));
    return reply;
  };
  await note("GET", "/v1/me", undefined, null);
  for (const path of [
    "me",
    "me/credits",
    "workers",
    "workers?q=echo",
    "workers/echo",
    "jobs/nix",
  ]) {
    await note("GET", `/v1/${path}`);
  }
  for (const body of ["{", {}, { text: 1 }]) await note("POST", "/v1/workers/echo/jobs", body);
  for (const [worker, input] of Object.entries({
    echo: { text: "x" },
    fail: {},
    render: { title: "t" },
  })) {
    const { body } = await note("POST", `/v1/workers/${worker}/jobs`, input);
    await caller.follow(String(body.job_uuid));
    await note("GET", `/v1/jobs/${String(body.job_uuid)}`);
  }
  await note("GET", "/v1/jobs");
  return lines;
}

describe("a fault that was switched off", () => {
  it.each(["A", "B"] satisfies Variant[])("leaves no trace in variant %s", async (variant) => {
    const healthy = await transcript(await start({ variant }));
    const caller = await start({ variant });
    const known = FAULTS.filter(({ variants }) => variants?.includes(variant) ?? true);
    for (const { name } of known) caller.service.faults.enable(name);
    for (const { name } of known) caller.service.faults.disable(name);
    expect(caller.service.faults.active()).toEqual([]);
    expect(await transcript(caller)).toEqual(healthy);
  });
});

describe("switching faults", () => {
  const name = "submit.accepted-status/answers-200";
  const accept = async (caller: Caller) =>
    (await caller.call("POST", "/v1/workers/nothing/jobs", {})).status;

  it("works at the start, and while it runs", async () => {
    const caller = await start({ faults: [name] });
    expect(await accept(caller)).toBe(200);
    caller.service.faults.disable(name);
    expect(await accept(caller)).toBe(202);
    caller.service.faults.enable(name);
    expect(await accept(caller)).toBe(200);
  });

  it("works over HTTP, without a key", async () => {
    const caller = await start();
    const admin = async (method: string, path = "") =>
      (await caller.call(method, `/_reference/faults${path}`, undefined, null)).body.active;
    expect(await admin("GET")).toEqual([]);
    expect(await admin("PUT", `/${name}`)).toEqual([name]);
    expect(await accept(caller)).toBe(200);
    expect(await admin("DELETE", `/${name}`)).toEqual([]);
    expect(await accept(caller)).toBe(202);
    await admin("PUT", `/${name}`);
    expect(await admin("DELETE")).toEqual([]);
  });

  it("refuses unknown names, and faults of the other variant", async () => {
    const { service } = await start({ variant: "A" });
    expect(() => service.faults.enable("rate.nix/x")).toThrow(/unknown fault "rate.nix\/x"/);
    const listed = "expected a name that the list of all has";
    expect(() => service.faults.enable("nix/x")).toThrow(`unknown fault "nix/x"; ${listed}`);
    expect(() => service.faults.enable("job.cost/sum-off")).toThrow(/exists in variant B only/);
    const { call } = await start();
    for (const written of ["nix/x", "%zz"]) {
      expect((await call("PUT", `/_reference/faults/${written}`)).status).toBe(404);
    }
  });

  it("does not touch another service in the same process", async () => {
    const [broken, healthy] = [await start({ faults: [name] }), await start()];
    expect([await accept(broken), await accept(healthy)]).toEqual([200, 202]);
  });
});

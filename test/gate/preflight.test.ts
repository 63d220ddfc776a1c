/** The preflight against the embedded service: quiet when all is well, and whatever is broken. */

import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { unreachable } from "../../gate/preflight/recognition.ts";
import { preflight } from "../../gate/preflight.ts";
import { CHOICES } from "../../reference/choices.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { GivenOptions } from "../../reference/options.ts";
import { startReference } from "../../reference/service.ts";
import { exchange } from "../contract/judges/job/fixtures.ts";
import { serve } from "../http/serve.ts";
import { openReference } from "../reference/open-reference.ts";

async function preflightOf(options: GivenOptions) {
  const service = await startReference({ timeScale: 0.02, ...options });
  const signal = new AbortController().signal;
  try {
    return await preflight({ ...embeddedTarget(service), signal });
  } finally {
    await service.close();
  }
}

it.each([
  [30, /: the connection was refused; expected a service that listens there$/],
  [5_000, /: no connection within seconds; expected a way there that no firewall closes$/],
])("a connection that failed after %d ms", (receivedAtMs, says) => {
  const lost = exchange({ status: 0, error: "refused", sentAtMs: 0, receivedAtMs });
  expect(unreachable("http://there", lost, "refused").message).toMatch(says);
});

describe("the preflight", () => {
  it.each(["A", "B"] as const)("finds nothing wrong with a healthy variant %s", async (variant) => {
    const { problems, notes, restMs } = await preflightOf({ variant });
    expect([problems, notes]).toEqual([[], []]);
    expect(restMs).toBe(2_000);
  });

  const json = { "content-type": "application/json" };
  it.each([
    ["packed by gzip", { ...json, "content-encoding": "gzip" }, gzipSync],
    ["packed by br", { ...json, "content-encoding": "br" }, brotliCompressSync],
    ["packed by zstd", { ...json, "content-encoding": "zstd" }, zstdCompressSync],
    ["with headers of 100 KiB", { ...json, "x-policy": "a".repeat(100 * 1024) }, String],
    ["called HTML", { "content-type": "text/html; charset=utf-8" }, String],
  ])("reads a service whose answers all come %s", async (_, typed, written) => {
    const service = await openReference({ timeScale: 0.02 });
    const given = embeddedTarget(service);
    const baseUrl = await serve(async ({ url, method, headers }, response) => {
      const { host: _host, ...passed } = headers;
      const answer = await request(given.target.baseUrl + url, {
        method: method === "POST" ? "POST" : "GET",
        headers: passed,
      });
      response.writeHead(answer.statusCode, typed).end(written(await answer.body.text()));
    });
    const signal = new AbortController().signal;
    const { problems, notes } = await preflight({
      ...given,
      target: { ...given.target, baseUrl },
      signal,
    });
    expect([problems, notes]).toEqual([[], []]);
  });

  const paginations = CHOICES.workersPagination.values;
  it.each(paginations)("finds the price on whichever page it is: %s", async (kind) => {
    const service = await openReference({ choices: { workersPagination: kind } });
    const given = embeddedTarget(service);
    const worker = { id: "render", input: { title: "x" } };
    const target = { ...given.target, workers: { success: worker } };
    const { signal } = new AbortController();
    expect((await preflight({ ...given, target, signal })).price.usd).toBeGreaterThan(0);
  });

  it.each([
    ["as it is", {}, []],
    ["without its account", { account: null }, []],
    [
      "with another plan",
      { plan: "pro" as const },
      [/free-a.*: the target file says plan pro, GET \/v1\/me says free; with a wrong plan/],
    ],
    [
      "with an account of its own",
      { account: "own" },
      [/"free-a" \(from \w+\) and key .*: the target file says accounts "own", "one", GET .* one;/],
    ],
    [
      "with the account of other keys",
      { account: "two" },
      [
        /accounts "two", "one", GET .v1.me says one; if they share one, job.list-own will be/,
        /"free-a".* and .*"free-c".*: .* account "two" of each, GET \/v1\/me says 2 accounts/,
      ],
    ],
  ])("holds a key of the file against the service: %s", async (_, difference, expected) => {
    const service = await openReference({ timeScale: 0.02 });
    const given = embeddedTarget(service);
    const keys = given.target.keys.map((key) =>
      key.name === "free-a" ? { ...key, ...difference } : key,
    );
    const { signal } = new AbortController();
    const found = await preflight({ ...given, target: { ...given.target, keys }, signal });
    expect(found.problems).toEqual([]);
    expect(found.notes).toEqual(expected.map((each) => expect.stringMatching(each)));
  });

  it("says that the address has the version twice", async () => {
    const service = await openReference({ timeScale: 0.02 });
    const given = embeddedTarget(service);
    const target = { ...given.target, baseUrl: `${given.target.baseUrl}/v1` };
    const { signal } = new AbortController();
    const { problems } = await preflight({ ...given, target, signal });
    expect(problems).toEqual([
      {
        code: "not-the-service",
        message: expect.stringMatching(/404; .*; the address is expected without \/v1/),
      },
    ]);
  });

  it("ends at once when it is interrupted", async () => {
    const service = await startReference();
    const signal = AbortSignal.abort();
    const attempt = preflight({ ...embeddedTarget(service), signal });
    await expect(attempt).rejects.toThrow(/abort/i);
    await service.close();
  });
});

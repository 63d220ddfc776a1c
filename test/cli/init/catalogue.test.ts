/** What `init` makes of a catalogue: inputs that schemas accept, a file of one line a value. */

import { describe, expect, it } from "vitest";

import { partOf, proposedParts } from "../../../cli/init/choose-parts.ts";
import type { ServiceWorker } from "../../../cli/init/service-workers.ts";
import { serviceWorker } from "../../../cli/init/service-workers.ts";
import { targetText } from "../../../cli/init/target-text.ts";
import { parseTargetFile } from "../../../cli/target-file/target-file.ts";

const ENTRY = { id: "ask", name: "Ask", priceUsd: 0.01 };

function worker(
  properties: Readonly<Record<string, object>>,
  given: Partial<ServiceWorker> = {},
): ServiceWorker {
  const inputSchema = { type: "object", required: Object.keys(properties), properties };
  return { ...serviceWorker(ENTRY, { timeoutSeconds: 60, inputSchema }), ...given };
}

function written(workers: readonly ServiceWorker[]): string {
  const draft = {
    baseUrl: "http://127.0.0.1:1",
    timeScale: 1,
    keys: [{ name: "a", env: "KEY_A" }],
    parts: proposedParts(workers),
    publish: null,
    cancel: null,
    webhook: null,
    jobs: 250,
  };
  return targetText(draft, { workers, others: 0 }, "target.schema.json");
}

const LINES = "You are a helpful assistant.\nAnswer each question in one sentence.\nBe brief.";

describe("the file", () => {
  it.each([
    ["an input of several lines", worker({ prompt: { type: "string", default: LINES } })],
    ["an id of several lines", worker({}, { id: "ask\nbudget: { jobs: 100000 }" })],
    ["a name of several lines", worker({}, { name: "Ask\nbudget: { jobs: 100000 }" })],
  ])("holds %s", (_, each) => {
    const { target } = parseTargetFile(written([each]), "plumbline.yaml", { KEY_A: "a" });
    expect(target.workers.success).toMatchObject({ id: each.id, input: each.input ?? {} });
    expect(target.budget?.jobs).toBe(250);
  });
});

describe("a worker without an input that is plain", () => {
  it.each([
    ["a pattern is slow", { default: `${"a".repeat(600)}!`, pattern: "^(\\w+\\s?)*$" }],
    ["a text is endless", { type: "string", minLength: 1e9 }],
    ["a list is endless", { type: "array", minItems: 5e9 }],
    [
      "lists within lists are",
      { type: "array", minItems: 2, items: { type: "array", minItems: 1e9 } },
    ],
  ])("is one of which %s", (_, property) => {
    expect(worker({ text: property }).input).toBeNull();
  });
});

const SECONDS = { type: "integer", description: "Seconds to run for" };

describe("a worker that runs for given seconds", () => {
  it("is slow for 8 s, and runs into its limit 40 s later", () => {
    expect(proposedParts([worker({ seconds: SECONDS })])).toMatchObject({
      slow: { input: { seconds: 8 } },
      timeout: { input: { seconds: 100 } },
    });
  });

  it.each([
    ["takes fewer seconds", { seconds: { ...SECONDS, maximum: 5 } }],
    ["takes more seconds", { seconds: { ...SECONDS, minimum: 200 } }],
    ["takes other seconds", { seconds: { ...SECONDS, multipleOf: 30 } }],
    ["also wants what nobody knows", { seconds: SECONDS, code: { type: "string", pattern: "^x" } }],
  ])("is neither where it %s", (_, properties) => {
    expect(Object.keys(proposedParts([worker(properties)]))).not.toContain("slow");
    expect(Object.keys(proposedParts([worker(properties)]))).not.toContain("timeout");
  });
});

describe("a worker by whose name its jobs fail", () => {
  const text = { text: { type: "string", default: "hello" } };

  it.each([
    ["always-fail", "Worker 3"],
    ["w3", "Always fails"],
    ["FAIL", "Worker 3"],
    ["force_error", "Worker 3"],
  ])("is proposed to fail, and for nothing else: %s, %s", (id, name) => {
    const free = worker(text, { id, name, priceUsd: 0 });
    expect(proposedParts([free, worker(text)])).toMatchObject({
      success: { id: "ask" },
      failure: { id },
    });
    expect(proposedParts([free])).toEqual({ failure: partOf(free, free.input ?? {}) });
  });

  it.each(["failover", "error-report", "crash-map", "test-job", "fail-safe-copy"])(
    "is none that may do something else: %s",
    (id) => {
      const parts = proposedParts([worker(text, { id, name: id })]);
      expect(Object.keys(parts)).toEqual(["success"]);
    },
  );
});

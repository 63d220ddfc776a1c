/** Which marks a worker's published schema lets a run write into its input. */

import { expect, it } from "vitest";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import { checkWorkers } from "../../gate/preflight/worker-check.ts";
import { exchange } from "../contract/judges/job/fixtures.ts";

const KEY: PlanKey = {
  name: "free-a",
  env: "KEY",
  state: "active",
  plan: "free",
  sustained: null,
  burst: null,
  account: null,
};

it.each([
  ["free", { type: "string" }, true],
  ["long enough in bytes", { type: "string", maxLength: 42 }, true],
  ["long enough in characters only", { type: "string", maxLength: 41 }, undefined],
  ["of letters of ASCII", { type: "string", pattern: "^[ -~]*$" }, undefined],
  ["of a format unknown here", { type: "string", format: "label" }, undefined],
])("gives marks a tail where the schema takes it: a field that is %s", async (_, text, tail) => {
  const body = JSON.stringify({ input_schema: { type: "object", properties: { text } } });
  const answered = async () => exchange({ status: 200, body });
  const success = { id: "echo", input: { text: "hello" }, marker: "text" };
  const slow = { id: "sleep", input: {} };
  const { problems, workers } = await checkWorkers(answered, KEY, { success, slow });
  expect(problems).toEqual([]);
  expect(workers.success?.markTail).toBe(tail);
  expect(workers.slow).toEqual(slow);
});

it.each([
  ["free", { type: "string" }, true],
  ["long enough in bytes", { type: "string", maxLength: 1_926 }, true],
  ["long enough in characters only", { type: "string", maxLength: 1_400 }, undefined],
  [
    "of any pattern, which the service may be slow to search",
    { type: "string", pattern: "^p" },
    undefined,
  ],
])(
  "makes some marks long where the schema takes them: a field that is %s",
  async (_, text, long) => {
    const body = JSON.stringify({ input_schema: { type: "object", properties: { text } } });
    const answered = async () => exchange({ status: 200, body });
    const success = { id: "echo", input: { text: "hello" }, marker: "text" };
    const { workers } = await checkWorkers(answered, KEY, { success });
    expect(workers.success).toMatchObject({ markTail: true });
    expect(workers.success?.markLong).toBe(long);
  },
);

it.each(["^([^\\n]+\\s?)*z$", "^([\\w-]+\\s?)*.$"])(
  "notes that an input was not checked where that takes too long: %s",
  async (pattern) => {
    const properties = { text: { type: "string", pattern } };
    const body = JSON.stringify({ input_schema: { type: "object", properties } });
    const answered = async () => exchange({ status: 200, body });
    const text = `${"a".repeat(600)}!?`;
    const success = { id: "echo", input: { text }, marker: "note" };
    const { problems, notes, workers } = await checkWorkers(answered, KEY, { success });
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      'input of worker "echo" was not checked: its schema takes over 1 s, as with a slow pattern',
    ]);
    expect(workers.success).toEqual(success);
  },
);

/** Judges of result, error and files. */

import { describe } from "vitest";
import { fileEntry } from "./fixtures.ts";
import type { Row } from "./table.ts";
import { testTable, when } from "./table.ts";

const ROWS: readonly Row[] = [
  {
    name: "a completed job without a result",
    scene: {
      edit: when("completed", (body) => {
        delete body.result;
        delete body.output;
      }),
    },
    breaks: "job.result-present",
  },
  {
    name: "a result that is an array",
    only: "A",
    scene: { edit: when("completed", (body) => Object.assign(body, { result: [] })) },
    breaks: "job.result-present",
  },
  ...(
    [
      ["an output of an unknown kind", { kind: "table" }],
      ["an output object without data", { data: null }],
      ["a list without items", { kind: "list", data: null, items: null }],
      ["a list that has data as well", { kind: "list" }],
      ["an empty output with items", { kind: "empty", data: null, items: [1] }],
      ["meta that is an array", { meta: [] }],
    ] as const
  ).map(
    ([name, change]): Row => ({
      name,
      only: "B",
      scene: { edit: when("completed", (body) => void Object.assign(body.output, change)) },
      breaks: "job.result-present",
    }),
  ),
  ...(
    [
      ["a list", { kind: "list", data: null, items: [{}] }],
      ["an empty list", { kind: "list", data: null, items: [] }],
      ["an empty output", { kind: "empty", data: null, items: [] }],
      ["an output object without the list's member", { items: undefined }],
    ] as const
  ).map(
    ([name, change]): Row => ({
      name,
      only: "B",
      scene: { edit: when("completed", (body) => void Object.assign(body.output, change)) },
      breaks: null,
    }),
  ),
  {
    name: "an error on a completed job",
    scene: {
      edit: when("completed", (body) =>
        Object.assign(body, { error: { code: "X", message: "y" } }),
      ),
    },
    breaks: "job.error-only-on-failure",
  },
  {
    name: "an error on a timed-out job",
    scene: {
      edit: when("timeout", (body) => Object.assign(body, { error: { code: "X", message: "y" } })),
    },
    breaks: "job.error-only-on-failure",
  },
  {
    name: "a failed job without an error",
    scene: { edit: when("failed", (body) => Object.assign(body, { error: null })) },
    breaks: "job.error-only-on-failure",
  },
  {
    name: "an error without a message",
    scene: { edit: when("failed", (body) => void delete body.error.message) },
    breaks: "job.error-only-on-failure",
  },
  {
    name: "an error without a code",
    scene: { edit: when("failed", (body) => void delete body.error.code) },
    breaks: "job.error-only-on-failure",
  },
  {
    name: "an error with more members and a numeric code",
    scene: { edit: when("failed", (body) => void Object.assign(body.error, { code: 7, at: 1 })) },
    breaks: null,
  },
  ...(
    [
      ["files that are null", null],
      ["files that are an object", { 0: fileEntry() }],
      ["a file without a name", [{ ...fileEntry(), name: undefined }]],
      ["a file whose size is a text", [{ ...fileEntry(), size_bytes: "3" }]],
      ["a file whose size is a fraction", [{ ...fileEntry(), size_bytes: 3.5 }]],
      ["a file with a relative address", [{ ...fileEntry(), url: "/picture.png" }]],
      ["a file without a type", [{ ...fileEntry(), content_type: null }]],
      ["a file that is a text", ["picture.png"]],
    ] as const
  ).map(
    ([name, files]): Row => ({
      name,
      only: "B",
      scene: { edit: when("completed", (body) => Object.assign(body, { files: files })) },
      breaks: "job.files",
    }),
  ),
  {
    name: "files absent before the end",
    only: "B",
    scene: { edit: (body, poll) => void (poll.state !== "completed" && delete body.files) },
    breaks: null,
  },
];

describe("the content of a job", () => testTable(ROWS));

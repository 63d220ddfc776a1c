/** The workers of the embedded service: one or more for each part of a target file. */

import type { JsonObject, Worker } from "./worker.ts";
import { yields } from "./worker.ts";

/** Reads fields of an input that may not have been validated. */
function numberOf(input: JsonObject, field: string, fallback: number): number {
  const value = input[field];
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}

function textOf(input: JsonObject, field: string, fallback: string): string {
  const value = input[field];
  return typeof value === "string" ? value : fallback;
}

/** A JSON Schema of an object, as the catalogue shows it. */
function objectSchema(
  properties: JsonObject,
  required: readonly string[],
  closed = false,
): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties,
    required,
    ...(closed ? { additionalProperties: false } : {}),
  };
}

/** Ours: short against anything that waits for it, long enough to be seen running. */
const QUICK_RUN_SECONDS = 0.3;

const DEFAULTS = {
  readme: null,
  billing: "run",
  priceMicroUsd: 10_000,
  infraMicroUsd: 0,
  timeoutSeconds: 60,
  concurrency: 100,
  outputSchema: {},
  owners: null,
  runSeconds: () => QUICK_RUN_SECONDS,
  events: () => 0,
} as const satisfies Partial<Worker>;

const echo: Worker = {
  ...DEFAULTS,
  id: "echo",
  name: "Echo",
  category: "text",
  tags: ["text", "quick"],
  shortDescription: "Gives back the text that it was given.",
  readme: "# Echo\n\nGives back `text`, in upper case on request.\n",
  inputSchema: objectSchema(
    {
      text: { type: "string", maxLength: 2000, description: "The text to give back." },
      style: {
        type: "string",
        enum: ["plain", "upper"],
        default: "plain",
        description: "Letter case of the answer.",
      },
      repeat: { type: "integer", minimum: 1, maximum: 10, default: 1, description: "Copies." },
    },
    ["text"],
    true,
  ),
  outputSchema: objectSchema({ text: { type: "string" }, length: { type: "integer" } }, ["text"]),
  perform(input) {
    const plain = textOf(input, "text", "").repeat(numberOf(input, "repeat", 1));
    const text = input.style === "upper" ? plain.toUpperCase() : plain;
    return yields({ kind: "object", data: { text, length: text.length } }, { meta: { ok: true } });
  },
};

const SLEEP_SCHEMA = objectSchema(
  { seconds: { type: "number", minimum: 0, maximum: 3600, description: "How long to sleep." } },
  ["seconds"],
);

const sleep: Worker = {
  ...DEFAULTS,
  id: "sleep",
  name: "Long sleep",
  category: "timing",
  tags: ["timing", "slow"],
  shortDescription: "Runs for as many seconds as asked; few at once.",
  timeoutSeconds: 600,
  concurrency: 4,
  inputSchema: SLEEP_SCHEMA,
  runSeconds: (input) => numberOf(input, "seconds", 1),
  perform: (input) => yields({ kind: "object", data: { slept: numberOf(input, "seconds", 1) } }),
};

const sleepShort: Worker = {
  ...sleep,
  id: "sleep-short",
  name: "Brief nap",
  tags: ["timing", "limited"],
  shortDescription: "Like the long one, but may run for 20 seconds only.",
  timeoutSeconds: 20,
  concurrency: 150,
};

const fail: Worker = {
  ...DEFAULTS,
  id: "fail",
  name: "Certain failure",
  category: "testing",
  tags: ["failure", "quick"],
  shortDescription: "Fails, with the code that it is given.",
  inputSchema: objectSchema(
    {
      code: { type: "string", default: "WORKER_ERROR", description: "Code of the failure." },
      message: { type: "string", default: "the worker failed as asked" },
    },
    [],
  ),
  perform(input) {
    const code = textOf(input, "code", "WORKER_ERROR");
    const message = textOf(input, "message", "the worker failed as asked");
    return yields({ kind: "empty" }, { error: { code, message } });
  },
};

const rows: Worker = {
  ...DEFAULTS,
  id: "rows",
  name: "Table of squares",
  category: "data",
  tags: ["list", "quick"],
  shortDescription: "Lists as many square numbers as asked.",
  infraMicroUsd: 1_000,
  inputSchema: objectSchema(
    { count: { type: "integer", minimum: 0, maximum: 1000, default: 3, description: "Rows." } },
    [],
  ),
  perform(input) {
    const count = numberOf(input, "count", 3);
    const items = Array.from({ length: count }, (_, n): JsonObject => ({ n, square: n * n }));
    return yields({ kind: "list", items }, { meta: { count, pagination: { next: null } } });
  },
};

const nothing: Worker = {
  ...DEFAULTS,
  id: "nothing",
  name: "Silent worker",
  category: "testing",
  tags: ["empty", "quick"],
  shortDescription: "Completes without any output.",
  inputSchema: objectSchema({}, []),
  perform: () => yields({ kind: "empty" }),
};

const MARGINS_SCHEMA = {
  type: "object",
  properties: {
    top: { type: "number", exclusiveMinimum: 0, description: "In centimetres." },
    side: { type: "number", minimum: 0, description: "In centimetres." },
  },
  required: ["top"],
  additionalProperties: false,
};

const LABEL_SCHEMA = { type: "string", pattern: "^[a-z]{2,12}$" };

const render: Worker = {
  ...DEFAULTS,
  id: "render",
  name: "Page renderer",
  category: "data",
  tags: ["files", "quick"],
  shortDescription: "Writes pages of text into files.",
  infraMicroUsd: 2_500,
  inputSchema: objectSchema(
    {
      title: { type: "string", minLength: 1, description: "First line of each page." },
      pages: { type: "integer", minimum: 1, maximum: 20, default: 2, description: "Files." },
      margins: MARGINS_SCHEMA,
      labels: { type: "array", items: LABEL_SCHEMA, maxItems: 4, uniqueItems: true },
      zoom: { type: "number", minimum: 0.5, maximum: 4, multipleOf: 0.5, description: "Size." },
    },
    ["title"],
  ),
  perform(input) {
    const title = textOf(input, "title", "untitled");
    const files = Array.from({ length: numberOf(input, "pages", 2) }, (_, page) => ({
      name: `page-${page + 1}.txt`,
      contentType: "text/plain",
      text: `${title}\npage ${page + 1}\n`,
    }));
    return yields({ kind: "object", data: { pages: files.length } }, { files });
  },
};

const metered: Worker = {
  ...DEFAULTS,
  id: "metered",
  name: "Event counter",
  category: "data",
  tags: ["events", "quick"],
  shortDescription: "Is billed by the events that it counts.",
  billing: "event",
  priceMicroUsd: 2_000,
  inputSchema: objectSchema(
    { events: { type: "integer", minimum: 0, maximum: 1000, description: "Events to count." } },
    ["events"],
  ),
  events: (input) => numberOf(input, "events", 0),
  perform: (input) => yields({ kind: "object", data: { counted: numberOf(input, "events", 0) } }),
};

/** The accounts' own worker: not in the marketplace before it is published. */
const own: Worker = {
  ...nothing,
  id: "my-worker",
  name: "Unpublished draft",
  tags: ["own"],
  shortDescription: "A worker of the caller's own, to be published.",
  owners: ["one", "two"],
};

export const WORKERS: readonly Worker[] = [
  echo,
  sleep,
  sleepShort,
  fail,
  rows,
  nothing,
  render,
  metered,
  own,
];

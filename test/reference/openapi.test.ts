/** The reference service answers as schemas/openapi.yaml says, whatever choices it is given. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import type { Variant } from "../../contract/states.ts";
import { CHOICES } from "../../reference/choices.ts";
import type { GivenOptions } from "../../reference/options.ts";
import { ROOT } from "../../runner/package-root.ts";
import { serveOn } from "../http/serve.ts";
import { openReference } from "./open-reference.ts";

interface Operation {
  operationId: string;
  responses: Readonly<Record<string, object>>;
}

const DOCUMENT = parse(readFileSync(path.join(ROOT, "schemas/openapi.yaml"), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "openapi", ...DOCUMENT });

const pointer = (steps: readonly string[]) =>
  steps
    .map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/");

const compiled = new Map<string, ValidateFunction>();
function validatorAt(...steps: readonly string[]): ValidateFunction {
  const $ref = `openapi#/${pointer(steps)}`;
  const known = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, known);
  return known;
}

/** The value below a path of the document, references followed. */
function lookUp(steps: readonly string[]): { value: unknown; steps: readonly string[] } {
  let value: unknown = DOCUMENT;
  let at: readonly string[] = [];
  for (const step of steps) {
    value = (value as Record<string, unknown> | undefined)?.[step];
    at = [...at, step];
    const ref = (value as { $ref?: string } | undefined)?.$ref;
    if (ref !== undefined) ({ value, steps: at } = lookUp(ref.replace("#/", "").split("/")));
  }
  return { value, steps: at };
}

const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([route, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation.operationId === undefined
      ? []
      : [{ route, method, id: operation.operationId, statuses: Object.keys(operation.responses) }],
  ),
);

/** What does not fit, in words; empty for an answer as the document has it. */
async function misfits(id: string, answer: Response): Promise<readonly string[]> {
  const operation = OPERATIONS.find((each) => each.id === id);
  if (operation === undefined) return [`no operation "${id}"`];
  const { route, method, statuses } = operation;
  const status = String(answer.status);
  const range = `${status.slice(0, 1)}XX`;
  const known = [status, range].find((each) => statuses.includes(each));
  if (known === undefined) return [`${id}: ${status} is not documented`];
  const response = lookUp(["paths", route, method, "responses", known]);
  const missing =
    known === "429" && answer.headers.get("retry-after") === null ? [`${id}: no Retry-After`] : [];
  const media = lookUp([...response.steps, "content", "application/json", "schema"]);
  const text = await answer.text();
  if (media.value === undefined) return missing;
  const validate = validatorAt(...media.steps);
  const fits = validate(JSON.parse(text));
  const errors = fits ? [] : [`${id} ${status}: ${ajv.errorsText(validate.errors)}: ${text}`];
  return [...missing, ...errors];
}

const JSON_TYPE = { "content-type": "application/json" };
const JOBS: readonly (readonly [worker: string, input: object])[] = [
  ["echo", { text: "hi" }],
  ["fail", {}],
  ["rows", { count: 2 }],
  ["nothing", {}],
  ["render", { title: "Report" }],
  ["sleep-short", { seconds: 60 }],
  ["metered", { events: 2 }],
];

async function session(options: GivenOptions) {
  const service = await openReference(options);
  const value = (name: string) => service.keys.find((key) => key.name === name)?.value ?? "";
  const problems: string[] = [];
  const seen = new Set<string>();
  const call = async (id: string, given: { key?: string; at?: string; body?: string } = {}) => {
    const operation = OPERATIONS.find((each) => each.id === id);
    const route = (operation?.route ?? "").replace(/\{\w+\}/, given.at ?? "");
    const answer = await fetch(service.baseUrl + route, {
      method: (operation?.method ?? "get").toUpperCase(),
      headers: { "x-api-key": given.key ?? value("pro-a"), ...(given.body ? JSON_TYPE : {}) },
      ...(given.body === undefined ? {} : { body: given.body }),
    });
    seen.add(`${id} ${answer.status >= 200 && answer.status < 300 ? "2" : answer.status}`);
    problems.push(...(await misfits(id, answer.clone())));
    return answer;
  };
  return { service, value, problems, seen, call };
}

type Session = Awaited<ReturnType<typeof session>>;

/** Deliveries as they come, held against the document's callback. */
async function deliveriesTo(problems: string[]) {
  const validate = validatorAt("components", "schemas", "Delivery");
  let count = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      count += 1;
      if (!validate(JSON.parse(text))) problems.push(`${ajv.errorsText(validate.errors)}: ${text}`);
      if (request.headers["x-service-signature"] === undefined) problems.push("no signature");
      response.end();
      server.emit("delivered", count);
    });
  });
  const url = `http://127.0.0.1:${await serveOn(server)}/hook`;
  const arrived = async (wanted: number) => {
    while (count < wanted) await once(server, "delivered");
  };
  return { url, arrived };
}

async function lives({ call, problems }: Session): Promise<void> {
  const hook = await deliveriesTo(problems);
  const ids = await Promise.all(
    JOBS.map(async ([at, input]) => {
      const body = JSON.stringify({ ...input, webhook: hook.url, priority: "normal" });
      const answer = (await (await call("submitJob", { at, body })).json()) as { job_uuid: string };
      await call("readJob", { at: answer.job_uuid });
      return answer.job_uuid;
    }),
  );
  await hook.arrived(ids.length);
  for (const at of ids) await call("readJob", { at });
  await call("listJobs");
}

const VARIANTS = ["A", "B"] as const satisfies readonly Variant[];
const WIDTH = Math.max(...Object.values(CHOICES).map(({ values }) => values.length));

/** The n-th value of every choice, so that so many services have all of them. */
const worlds = VARIANTS.flatMap((variant) =>
  Array.from({ length: WIDTH }, (_, n) => {
    const pairs = Object.entries(CHOICES).map(([name, { values }]) => {
      return [name, values[n % values.length]] as const;
    });
    return { variant, n, choices: Object.fromEntries(pairs) as GivenOptions["choices"] };
  }),
);

describe("the reference service", () => {
  it.each(worlds)("fits the document in variant $variant, choices $n", async (world) => {
    const { variant, choices } = world;
    const given = { variant, timeScale: 0.02 };
    const each = await session({ ...given, ...(choices === undefined ? {} : { choices }) });
    for (const id of ["readAccount", "readCredits", "listDeployments", "listWorkers"]) {
      await each.call(id);
    }
    for (const [at] of JOBS) await each.call("readWorker", { at });
    await lives(each);
    await each.call("publishWorker", { at: "my-worker" });
    expect(each.problems).toEqual([]);
  });

  it.each(VARIANTS)("shows every documented status in variant %s", async (variant) => {
    // In real time: where a second is short, a key earns requests while others are on their way.
    const each = await session({ variant });
    const { call, value } = each;
    for (const { id } of OPERATIONS) {
      await call(id, { at: "nobody", key: "no-such-key", ...(id === "submitJob" ? EMPTY : {}) });
    }
    for (const id of ["readAccount", "readCredits", "listDeployments", "listWorkers", "listJobs"]) {
      await call(id);
    }
    for (const id of ["readWorker", "publishWorker", "readJob"]) await call(id, { at: "nobody" });
    await call("readWorker", { at: "echo" });
    await call("publishWorker", { at: "my-worker" });
    const bodies = ["[]", "{}", '{"text":5}', '{"text":"hi"}'];
    for (const body of bodies) await call("submitJob", { at: "echo", body });
    await call("submitJob", { at: "nobody", body: "{}" });
    await call("submitJob", { at: "echo", body: '{"text":"hi"}', key: value("broke") });
    const { job_uuid } = (await (
      await call("submitJob", { at: "echo", body: '{"text":"hi"}' })
    ).json()) as { job_uuid: string };
    await call("readJob", { at: job_uuid });
    for (const { id } of OPERATIONS) {
      const given = { at: "echo", key: value("free-a"), ...(id === "submitJob" ? EMPTY : {}) };
      // Of so many, most are refused; of those that come slowly, some of the next.
      for (let volleys = 0; volleys < 10 && !each.seen.has(`${id} 429`); volleys += 1) {
        await Promise.all(Array.from({ length: 30 }, () => call(id, given)));
      }
    }
    expect(each.problems).toEqual([]);
    const documented = OPERATIONS.flatMap(({ id, statuses }) =>
      statuses.map((status) => `${id} ${status.startsWith("2") ? "2" : status}`),
    );
    // An unexpected error is nothing that a sound service can be made to show.
    const missing = documented.filter((shown) => !each.seen.has(shown) && !shown.endsWith(" 500"));
    expect(missing).toEqual([]);
  });
});

const EMPTY = { body: "{}" };

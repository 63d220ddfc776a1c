/** Faults of the catalogue promises: list, filters, detail, unknown workers, publication. */

import { isObject } from "../../contract/decode/decoded.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import type { Worker } from "../catalogue/worker.ts";
import type { Hooks } from "../hooks.ts";
import type { Answer, AnswerContext } from "../http.ts";
import {
  all,
  answering,
  at,
  type Fields,
  onAnswer,
  onBody,
  without,
  withStatus,
} from "./answers.ts";
import { type Fault, faultsOf, sometimes } from "./fault.ts";

/** A scenario reads it several times only where both are asked for. */
const READ_AGAIN = { seenWith: ["account.readable", "rate.within-plan"] } as const;

/** Reads of a worker that an account has deployed itself, where `isHit`. */
const ownAnswered404 = (isHit: () => boolean) =>
  onAnswer(all(at("worker", "served"), isOwn, isHit), withStatus(404));

/** No job of the suite's runs for so long: what is told of the limit alone is bent. */
const isLong = ({ worker }: AnswerContext) => (worker?.timeoutSeconds ?? 0) >= 60;

/** One worker, whose runs no scenario waits for to their limit. */
const isLongest = ({ worker }: AnswerContext) => (worker?.timeoutSeconds ?? 0) >= 600;

const isOwn = ({ worker }: AnswerContext) => worker?.owners != null;

/** Rewrites the entry of one worker wherever it is listed; chance says which one. */
function onOneEntry(bend: (entry: Fields) => Fields): Fault["create"] {
  return ({ random }) => {
    let unlucky: string | null = null;
    const listing = onBody(at("workers", "served"), (body) => {
      if (!Array.isArray(body.workers)) return body;
      const bent = (entry: unknown) =>
        isObject(entry) && entry.worker_id === unlucky ? bend(entry) : entry;
      return { ...body, workers: (body.workers as readonly unknown[]).map(bent) };
    });
    return {
      ...listing,
      found(workers, all) {
        unlucky ??= all[Math.floor(random() * all.length)]?.id ?? null;
        return workers;
      },
    };
  };
}

/** Rewrites the details of workers. */
const onDetail = (bend: (body: Fields) => Fields) => () => onBody(at("worker", "served"), bend);

/** Two workers stand under one key of a cache, so that one is answered with the other's name. */
function otherWorkersId(): Partial<Hooks> {
  const asked: string[] = [];
  return onBody(at("worker", "served"), (body) => {
    const id = String(body.worker_id);
    if (!asked.includes(id)) asked.push(id);
    return asked[1] === id ? { ...body, worker_id: asked[0] } : body;
  });
}

const unknownAt = (route: RouteName, bend: (answer: Answer) => Answer) => () =>
  onAnswer(at(route, "unknown-worker"), bend);

type Found = Hooks["found"];
type Asked = Parameters<Found> extends [unknown, ...infer Rest] ? Rest : never;

const filtering = (name: string, bend: Found) => (): Partial<Hooks> => ({
  found: (workers, all, request, matching) =>
    request.query[name] === undefined ? workers : bend(workers, all, request, matching),
});

const others = (workers: readonly Worker[], all: readonly Worker[]) =>
  all.filter((worker) => !workers.includes(worker));

/** Without the text; the category of the query stays. */
const ofCategory = ([, { query }, matching]: Asked) => matching({ category: query.category });

/** Without the category; the text of the query stays. */
const ofText = ([, { query }, matching]: Asked) => matching({ q: query.q });

const EMPTY_OBJECT: Answer = { status: 200, headers: {}, body: {} };

/** A category is asked for, alone. */
const asksForCategory = (context: AnswerContext): boolean => {
  const { category, q } = context.request.query;
  return at("workers", "served")(context) && category !== undefined && q === undefined;
};

const listsNone = ({ body }: Answer) => !JSON.stringify(body).includes('"worker_id"');

const LIST_FAULTS = [
  ...faultsOf("workers.list-shape", {
    "price-as-text": [
      "One entry's price is a text",
      onOneEntry((entry) => ({ ...entry, price_per_run_usd: String(entry.price_per_run_usd) })),
    ],
    "tags-as-text": [
      "One entry's tags are a text",
      onOneEntry((entry) => ({ ...entry, tags: "quick, events" })),
    ],
    "no-description": [
      "One entry has no short description",
      onOneEntry((entry) => without(entry, "short_description")),
    ],
    "no-billing-mode": [
      "One entry's billing mode is null",
      onOneEntry((entry) => ({ ...entry, billing_mode: null })),
    ],
    "near-more-fields": [
      "One entry has further fields",
      onOneEntry((entry) => ({ ...entry, author: "nobody", rating: null })),
    ],
  }),
  ...faultsOf("workers.category-filter", {
    ignored: [
      "The category is ignored",
      filtering("category", (_found, ...asked) => ofText(asked)),
    ],
    "one-too-few": [
      "The first worker of a category is left out, where there are others",
      filtering("category", (workers) => (workers.length > 1 ? workers.slice(1) : workers)),
    ],
    "one-too-many": [
      "One worker of another category is listed, too",
      filtering("category", (workers, ...asked) => [
        ...workers,
        ...others(workers, ofText(asked)).slice(0, 1),
      ]),
    ],
    "ignored-beside-a-text": [
      "The category is ignored beside a text query",
      filtering("category", (workers, _all, { query: { q } }, matching) =>
        q === undefined ? workers : matching({ q }),
      ),
    ],
    "ignored-where-unknown": [
      "A category that no worker has is ignored",
      filtering("category", (workers, all, { query: { category } }, matching) =>
        matching({ category }).length === 0 ? all : workers,
      ),
    ],
    "near-unknown-400": [
      "A category that no worker has is refused",
      () =>
        onAnswer(asksForCategory, (answer) =>
          listsNone(answer) ? { ...answer, status: 400 } : answer,
        ),
    ],
  }),
  ...faultsOf("workers.text-filter", {
    ignored: ["The text query is ignored", filtering("q", (_found, ...asked) => ofCategory(asked))],
    "finds-nothing": ["The text query finds nothing", filtering("q", () => [])],
    "one-not-found": [
      "The text query never finds the worker that was listed last",
      filtering("q", (workers, all) => workers.filter((worker) => worker !== all.at(-1))),
    ],
    "ignored-with-a-space": [
      "A text query of two words is ignored",
      filtering("q", (workers, _all, { query }, matching) =>
        query.q?.includes(" ") ? matching({ category: query.category }) : workers,
      ),
    ],
    inverted: [
      "The text query finds all the others",
      filtering("q", (workers, ...asked) => others(workers, ofCategory(asked))),
    ],
  }),
];

const DETAIL_FAULTS = [
  ...faultsOf("workers.detail-shape", {
    "limit-as-text": ["The run limit is a text", onDetail((body) => withLimit(body, String))],
    "limit-fractional": [
      "The run limit is no whole number",
      onDetail((body) => withLimit(body, (seconds) => Number(seconds) + 0.5)),
    ],
    "limit-zero": ["The run limit is 0", onDetail((body) => withLimit(body, () => 0))],
    "no-status": ["The detail has no status", onDetail((body) => without(body, "status"))],
    "schema-invalid": [
      "The input schema is no valid JSON Schema",
      onDetail((body) => ({ ...body, input_schema: { type: "objekt", required: "all" } })),
    ],
    "limit-by-instance": [
      "1 detail in 2 of a worker with long runs tells a limit that is 2 s longer",
      sometimes(2, (isOther) =>
        onBody(all(at("worker", "served"), isLong, isOther), (body) =>
          withLimit(body, (seconds) => Number(seconds) + 2),
        ),
      ),
      READ_AGAIN,
    ],
    "limit-of-one-by-instance": [
      "1 detail in 2 of the worker with the longest runs tells a limit that is 2 s longer",
      sometimes(2, (isOther) =>
        onBody(all(at("worker", "served"), isLongest, isOther), (body) =>
          withLimit(body, (seconds) => Number(seconds) + 2),
        ),
      ),
      { ...READ_AGAIN, curve: true },
    ],
    "fields-by-instance": [
      "1 detail in 2 says that no input field is required",
      sometimes(2, (isOther) =>
        onBody(all(at("worker", "served"), isOther), (body) => withSchema(body, { required: [] })),
      ),
      READ_AGAIN,
    ],
    "near-description-by-instance": [
      "1 detail in 2 has another description of its inputs, and its fields in another order",
      sometimes(2, (isOther) =>
        onBody(all(at("worker", "served"), isOther), (body) =>
          withSchema(body, { description: "What it takes", properties: reversed(body) }),
        ),
      ),
      READ_AGAIN,
    ],
    "near-limit-changed": [
      "After the third detail of workers with long runs their limit is 2 s longer",
      () => {
        let left = 3;
        return onBody(all(at("worker", "served"), isLong), (body) =>
          withLimit(body, (seconds) => Number(seconds) + (left-- > 0 ? 0 : 2)),
        );
      },
      READ_AGAIN,
    ],
    "another-workers-id": [
      "The detail of the second worker that was asked for names the first",
      otherWorkersId,
    ],
    "near-another-name": [
      "The detail has another name than the list",
      onDetail((body) => ({ ...body, name: `${String(body.name)} (new)` })),
    ],
    "schema-as-text": [
      "The input schema is a text",
      onDetail((body) => ({ ...body, input_schema: JSON.stringify(body.input_schema) })),
    ],
    "near-empty-output-schema": [
      "The output schema is empty, the readme null",
      onDetail((body) => ({ ...body, output_schema: {}, readme_content: null })),
    ],
  }),
];

function withLimit(body: Fields, bend: (seconds: unknown) => unknown): Fields {
  const names = ["timeout_seconds", "max_duration"].filter((name) => name in body);
  return { ...body, ...Object.fromEntries(names.map((name) => [name, bend(body[name])])) };
}

function withSchema(body: Fields, members: Fields): Fields {
  const schema = isObject(body.input_schema) ? body.input_schema : {};
  return { ...body, input_schema: { ...schema, ...members } };
}

function reversed({ input_schema: schema }: Fields): Fields {
  const fields = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(Object.entries(fields).reverse());
}

export const WORKERS_FAULTS: readonly Fault[] = [
  ...LIST_FAULTS,
  ...DETAIL_FAULTS,
  ...faultsOf("workers.unknown", {
    "detail-200": ["An unknown worker's detail is empty", unknownAt("worker", () => EMPTY_OBJECT)],
    "detail-400": [
      "The detail of an unknown worker gets 400",
      unknownAt("worker", withStatus(400)),
    ],
    "submit-422": [
      "A submission to an unknown worker gets 422",
      unknownAt("submit", withStatus(422)),
    ],
  }),
  ...faultsOf("workers.publish", {
    "unknown-accepted": [
      "An unknown worker is published",
      unknownAt("publish", () => EMPTY_OBJECT),
    ],
    "own-refused": ["An own worker can't be published", answering(at("publish", "served"), 403)],
    "comes-and-goes": [
      "1 read in 3 of an own worker gets 404, as of a region that does not have it",
      sometimes(3, ownAnswered404),
      READ_AGAIN,
    ],
    "near-shown-later": [
      "The first three reads of an own worker get 404, as while it is reviewed",
      () => {
        let left = 3;
        return ownAnswered404(() => left-- > 0);
      },
      READ_AGAIN,
    ],
  }),
];

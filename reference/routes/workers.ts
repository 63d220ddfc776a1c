/** Endpoints of the catalogue: list, detail, publication. Spec §4.1, §4.2, §4.7. */

import { toCredits, toUsd } from "../accounts/account.ts";
import type { Worker } from "../catalogue/worker.ts";
import type { Reply, RequestFacts } from "../http.ts";
import { type Api, type Endpoint, findWorker, marketplace, refuse, serve } from "./api.ts";
import { pageOf } from "./pages.ts";

export const listWorkers: Endpoint = (api, { request }) => workerList(api, request);

/** Needs no account, so that a deployment can serve it in public. Spec §4. */
export function workerList(api: Api, request: RequestFacts): Reply {
  const all = marketplace(api);
  const matching = (query: RequestFacts["query"]) =>
    all.filter((worker) => matches(api, worker, query));
  const found = api.hooks().found(matching(request.query), all, request, matching);
  const kind = api.options.choices.workersPagination;
  const entries = found.map((worker) => listEntry(api, worker));
  const { body, headers } = pageOf(kind, entries, request.query);
  const [answer, context] = serve(body);
  return [{ ...answer, headers }, context];
}

function matches(api: Api, worker: Worker, query: RequestFacts["query"]): boolean {
  const { category, q } = query;
  const shown = named(api, worker);
  if (category !== undefined && category !== shown.category) return false;
  if (q === undefined) return true;
  const everything = [worker.id, shown.name, worker.shortDescription, ...worker.tags];
  const texts = api.options.choices.textMatch === "name" ? [shown.name] : everything;
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()));
}

/** With signs that mean something in addresses, where that was chosen. */
function named({ options }: Api, { name, category }: Worker) {
  if (options.choices.names === "plain") return { name, category };
  return { name: `${name} (100 %) & "größer" + ?`, category: `${category}/äöü & 50% #1` };
}

function listEntry(api: Api, worker: Worker): object {
  return {
    worker_id: worker.id,
    ...named(api, worker),
    price_per_run_usd: toUsd(worker.priceMicroUsd),
    billing_mode: api.renderer.billingMode(worker),
    short_description: worker.shortDescription,
    tags: worker.tags,
  };
}

export const getWorker: Endpoint = (api, { request, account }) => {
  const worker = findWorker(api, request.parameter, account);
  if (worker === null) return unknownWorker(api, request);
  const [answer, context] = serve(detail(api, worker));
  return [answer, { ...context, worker }];
};

function detail(api: Api, worker: Worker): object {
  const common = {
    worker_id: worker.id,
    name: named(api, worker).name,
    status: "ACTIVE",
    billing_mode: api.renderer.billingMode(worker),
    ...runLimit(api, worker.timeoutSeconds),
    input_schema: inDialect(api, worker.inputSchema),
    output_schema: worker.outputSchema,
    readme_content: worker.readme,
  };
  if (api.renderer.variant === "B") return common;
  return { ...common, price_credits: toCredits(worker.priceMicroUsd) };
}

function inDialect({ options }: Api, schema: Worker["inputSchema"]): object {
  const { $schema, ...rest } = schema;
  switch (options.choices.schemaDialect) {
    case "draft-07":
      return { $schema, ...rest };
    case "none":
      return rest;
    case "2020-12":
      return { $schema: SCHEMA_2020, ...rest };
    case "openapi":
      return { $schema: OPENAPI_31, ...rest };
    // As generators write a schema that has a name.
    case "referring":
      return { $schema, $ref: "#/definitions/Input", definitions: { Input: rest } };
  }
}

const SCHEMA_2020 = "https://json-schema.org/draft/2020-12/schema";
const OPENAPI_31 = "https://spec.openapis.org/oas/3.1/dialect/base";

/** Variant A may call the limit by another name. Spec §2.3. */
function runLimit(api: Api, seconds: number): object {
  const field =
    api.renderer.variant === "B" ? "timeout_seconds" : api.options.choices.runLimitField;
  if (field === "both") return { timeout_seconds: seconds, max_duration: seconds };
  return { [field]: seconds };
}

export const publishWorker: Endpoint = (api, { request, account }) => {
  const worker = api.workers.find((each) => each.id === request.parameter);
  if (!(worker?.owners?.includes(account.id) ?? false)) return unknownWorker(api, request);
  api.published.add(request.parameter);
  const status = Number(api.options.choices.publishStatus);
  return serve(
    status === 204 ? undefined : { worker_id: request.parameter, published: true },
    status,
  );
};

export function unknownWorker(api: Api, request: RequestFacts) {
  return refuse(api, "unknown-worker", `there is no worker "${request.parameter}"`);
}

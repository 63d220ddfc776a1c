/** Endpoints of the catalogue: list, detail, publication. Spec §4.1, §4.2, §4.7. */

import { toCredits, toUsd } from "../accounts/account.ts";
import type { Worker } from "../catalogue/worker.ts";
import type { RequestFacts } from "../http.ts";
import { type Api, type Endpoint, findWorker, marketplace, refuse, serve } from "./api.ts";

/** Ours: small enough that the embedded catalogue has more than one page. */
const PAGE_LENGTH = 4;

export const listWorkers: Endpoint = (api, { request }) => workerList(api, request);

/** Needs no account, so that a deployment can serve it in public. Spec §4. */
export function workerList(api: Api, request: RequestFacts) {
  const all = marketplace(api);
  const matching = all.filter((worker) => matches(api, worker, request.query));
  const found = api.hooks().found(matching, all, request);
  return serve(paged(api, request, found));
}

function matches(api: Api, worker: Worker, query: RequestFacts["query"]): boolean {
  const { category, q } = query;
  if (category !== undefined && category !== worker.category) return false;
  if (q === undefined) return true;
  const everything = [worker.id, worker.name, worker.shortDescription, ...worker.tags];
  const texts = api.options.choices.textMatch === "name" ? [worker.name] : everything;
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()));
}

function paged(api: Api, { query }: RequestFacts, found: readonly Worker[]): object {
  const entries = (some: readonly Worker[]) => some.map((worker) => listEntry(api, worker));
  const kind = api.options.choices.workersPagination;
  if (kind === "none") return { workers: entries(found) };
  const start = kind === "page" ? pageStart(query.page) : cursorStart(query.cursor);
  const end = start + PAGE_LENGTH;
  const page = entries(found.slice(start, end));
  if (kind === "page") {
    return { workers: page, page: start / PAGE_LENGTH + 1, total: found.length };
  }
  const next = Buffer.from(String(end)).toString("base64url");
  return { workers: page, next_cursor: end < found.length ? next : null };
}

function pageStart(page: string | undefined): number {
  const number = Math.floor(Number(page ?? "1"));
  return number >= 1 ? (number - 1) * PAGE_LENGTH : 0;
}

function cursorStart(cursor: string | undefined): number {
  const start = Number(Buffer.from(cursor ?? "", "base64url").toString());
  return Number.isInteger(start) && start >= 0 ? start : 0;
}

function listEntry(api: Api, worker: Worker): object {
  return {
    worker_id: worker.id,
    name: worker.name,
    price_per_run_usd: toUsd(worker.priceMicroUsd),
    billing_mode: api.renderer.billingMode(worker),
    short_description: worker.shortDescription,
    category: worker.category,
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
    name: worker.name,
    status: "ACTIVE",
    billing_mode: api.renderer.billingMode(worker),
    ...runLimit(api, worker.timeoutSeconds),
    input_schema: worker.inputSchema,
    output_schema: worker.outputSchema,
    readme_content: worker.readme,
  };
  if (api.renderer.variant === "B") return common;
  return { ...common, price_credits: toCredits(worker.priceMicroUsd) };
}

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

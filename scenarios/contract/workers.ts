/** Looks through the catalogue as a careful client would. Spec §2.2, §2.3, §4.1, §4.2, §4.7. */

import { isObject } from "../../contract/decode/decoded.ts";
import type { WorkerEntry } from "../../contract/decode/worker.ts";
import { jsonBody } from "../../contract/exchange.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { CategoryQuery, TextQuery } from "../../contract/judges/worker-filters.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { readDetail } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { madeUpWorkerId } from "../client/made-up.ts";
import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

const PROMISES = [
  "workers.list-shape",
  "workers.category-filter",
  "workers.text-filter",
  "workers.detail-shape",
  "workers.unknown",
] as const;

export const workersStep: Step = {
  name: "workers: list, filters, details",
  promises: PROMISES,
  async run(context, catalogue) {
    if (context.caller === null) return nothing("the plan names no active key", PROMISES);
    const known = await catalogue();
    noteList(context, known);
    const [categories, texts, details, unknown] = await Promise.all([
      askCategories(context, known.entries),
      askTexts(context, known.entries),
      askDetails(context, known),
      askUnknown(context),
    ]);
    const value = { list: known.list, categories, texts, details, unknown };
    return [{ kind: "contract.workers", value }];
  },
};

function noteList(context: Context, { list }: Catalogue): void {
  const last = list.attempts.at(-1);
  const body = last === undefined ? undefined : jsonBody(last);
  if (!isObject(body)) return;
  const beside = Object.keys(body).filter((name) => name !== "workers");
  if (beside.length > 0)
    context.note(`the worker list has beside its workers: ${beside.join(", ")}`);
}

/** Ours: how many categories, names and further details are tried. */
const CATEGORIES_MAX = 3;
const NAMES_MAX = 3;
const FURTHER_DETAILS_MAX = 2;

/** Categories that leave some of the list out, or where there is none, one that leaves out all. */
async function askCategories(
  context: Context,
  entries: readonly WorkerEntry[],
): Promise<readonly CategoryQuery[]> {
  const all = [...new Set(entries.flatMap(({ category }) => category || []))];
  if (all.length === 0) return [];
  const chosen = all.length > 1 ? all.slice(0, CATEGORIES_MAX) : [context.random.token(12)];
  return Promise.all(
    chosen.map(async (category) => ({
      what: `category "${category}"`,
      category,
      madeUp: !all.includes(category),
      attempts: await askList(context, `category=${encodeURIComponent(category)}`),
    })),
  );
}

async function askTexts(
  context: Context,
  entries: readonly WorkerEntry[],
): Promise<readonly TextQuery[]> {
  const named = entries.flatMap(({ id, name }) => (name ? [{ id, text: name }] : []));
  if (named.length === 0) return [];
  const byName = named.slice(0, NAMES_MAX).map(async ({ id, text }): Promise<TextQuery> => {
    const attempts = await askList(context, `q=${encodeURIComponent(text)}`);
    return { what: `q="${text}"`, text, kind: "name", workerId: id, attempts };
  });
  const text = context.random.token(24);
  const nonsense = async (): Promise<TextQuery> => {
    const attempts = await askList(context, `q=${text}`);
    return { what: `q="${text}"`, text, kind: "nonsense", attempts };
  };
  return Promise.all([...byName, nonsense()]);
}

function askList(context: Context, query: string) {
  return context.askAgain({ method: "GET", route: "workers", query, key: context.caller });
}

async function askDetails(context: Context, known: Catalogue): Promise<readonly StatusCase[]> {
  const further = known.entries.filter(({ id }) => !known.details.has(id));
  const answers = await Promise.all(
    further.slice(0, FURTHER_DETAILS_MAX).map(({ id }) => readDetail(context, id)),
  );
  return [...known.details.values(), ...answers].map(({ answer }) => answer);
}

async function askUnknown(context: Context): Promise<readonly StatusCase[]> {
  const key = context.caller;
  const [detail, submit] = [0, 1].map(() => madeUpWorkerId(context.random, context.plan));
  return Promise.all([
    context
      .askAgain({ method: "GET", route: "worker", parameter: detail ?? "", key })
      .then((attempts) => ({ what: "the detail of an unknown worker", attempts })),
    context
      .askAgain({ method: "POST", route: "submit", parameter: submit ?? "", key, body: "{}" })
      .then((attempts) => ({ what: "a submission to an unknown worker", attempts })),
  ]);
}

export const publishStep: Step = {
  name: "workers: publish",
  promises: ["workers.publish"],
  async run(context) {
    const { plan, caller: key } = context;
    if (plan.publish === null || key === null) {
      return nothing("the target names no worker that may be published", ["workers.publish"]);
    }
    const ask = async (what: string, parameter: string) => {
      const call = { method: "POST", route: "publish", parameter, key, body: "{}" } as const;
      return { what, attempts: await context.askAgain(call) };
    };
    const own = await ask("an own worker", plan.publish.worker);
    const unknown = await ask("an unknown worker", madeUpWorkerId(context.random, context.plan));
    return [{ kind: "contract.publish", value: { own, unknown } }];
  },
};

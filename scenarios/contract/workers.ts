/** Looks through the catalogue as a careful client would. Spec §2.2, §2.3, §4.1, §4.2, §4.7. */

import { readPages } from "../../contract/answers/read-pages.ts";
import { isObject } from "../../contract/decode/decoded.ts";
import type { WorkerEntry } from "../../contract/decode/worker.ts";
import { decodeWorker } from "../../contract/decode/worker.ts";
import type { Asked, StatusCase } from "../../contract/judges/expected-status.ts";
import { isAnothersWorker } from "../../contract/judges/publish.ts";
import type {
  Categorised,
  CategoryQuery,
  TextQuery,
} from "../../contract/judges/worker-filters.ts";
import { jsonBody } from "../../contract/requests/exchange.ts";
import { percentEncoded } from "../../contract/requests/routes.ts";
import type { PlanKey, RunPlan } from "../../contract/run/run-plan.ts";
import { askRefused } from "../client/accepted-by-mistake.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { readDetail, readWorkerList } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { UnknownId } from "../client/inputs/made-up.ts";
import { madeUpWorkerId, unknownWorkerIds } from "../client/inputs/made-up.ts";
import type { Random } from "../world/random.ts";
import { sampled } from "../world/random.ts";
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
      askUnknown(context, known),
    ]);
    const steady = await steadyIn(context, known);
    const value = { pages: known.pages, categories, texts, details, unknown, steady };
    return [{ kind: "contract.workers", value }];
  },
};

/** Those that the list tells with the same category before and after the filtered ones. */
async function steadyIn(
  context: Context,
  { entries: before }: Catalogue,
): Promise<readonly Categorised[]> {
  const wanted = before.map(({ id }) => id);
  if (wanted.length === 0) return [];
  const { entries } = await readWorkerList(context, wanted);
  const categories = new Map(entries.map(({ id, category }) => [id, category]));
  return before
    .filter(({ id, category }) => category !== null && categories.get(id) === category)
    .map(({ id, category }) => ({ id, category }));
}

function noteList(context: Context, { pages }: Catalogue): void {
  const last = pages[0]?.attempts.at(-1);
  const body = last === undefined ? undefined : jsonBody(last);
  if (!isObject(body) || !Array.isArray(body.workers)) return;
  const beside = Object.keys(body).filter((name) => name !== "workers");
  if (beside.length > 0)
    context.note(`the worker list has beside its workers: ${beside.join(", ")}`);
}

/** Ours: how many categories, pages of each, names and further details are tried. */
const CATEGORIES_MAX = 6;
const FILTERED_PAGES_MAX = 4;
const NAMES_MAX = 12;
const FURTHER_DETAILS_MAX = 16;

/** Categories that leave some of the list out, one with a text beside it, and two made up. */
async function askCategories(
  context: Context,
  entries: readonly WorkerEntry[],
): Promise<readonly CategoryQuery[]> {
  const all = [...new Set(entries.flatMap(({ category }) => category || []))];
  if (all.length === 0) return [];
  const [plain, open] = [context.random.token(12), openText(context.random)];
  const madeUp = [plain, `${open.slice(1)}'`];
  const chosen = all.length > 1 ? sampled(context.random, all, CATEGORIES_MAX) : [];
  const [narrowed] = chosen;
  const { name: text } = entries.find((each) => each.category !== narrowed && each.name) ?? {};
  const filters = [
    ...chosen.map((category) => ({ category, filter: categoryFilter(category) })),
    ...(narrowed === undefined || text == null ? [] : [withText(narrowed, text)]),
    ...madeUp.map((category) => ({ category, filter: categoryFilter(category) })),
  ];
  return Promise.all(
    filters.map(async ({ category, filter, ...beside }) => {
      const pages: Asked[] = [];
      await readPages({
        async ask(query) {
          const isFiltered = /(^|&)category=/.test(query);
          const asked = await askList(context, isFiltered ? query : joined(filter, query));
          pages.push(asked);
          return asked.attempts.at(-1) ?? null;
        },
        isEnough: () => false,
        pagesMax: FILTERED_PAGES_MAX,
      });
      const [first = { attempts: [] }, ...later] = pages;
      const further = later.flatMap(({ attempts }) => attempts.slice(-1));
      return {
        what: `category "${category}"`,
        category,
        ...beside,
        madeUp: madeUp.includes(category),
        ...first,
        further,
      };
    }),
  );
}

function categoryFilter(category: string): string {
  return `category=${percentEncoded(category)}`;
}

/** The name of a worker that has another category: a text that leaves none of this one's. */
function withText(category: string, text: string) {
  return { category, text, filter: `${categoryFilter(category)}&q=${percentEncoded(text)}` };
}

async function askTexts(
  context: Context,
  entries: readonly WorkerEntry[],
): Promise<readonly TextQuery[]> {
  const named = entries.flatMap(({ id, name }) => (name ? [{ id, text: name }] : []));
  if (named.length === 0) return [];
  const byName = sampled(context.random, named, NAMES_MAX).map(
    async ({ id, text }): Promise<TextQuery> => {
      const asked = await askList(context, `q=${percentEncoded(text)}`);
      return { what: `q="${text}"`, text, kind: "name", workerId: id, ...asked };
    },
  );
  const texts = nonsenseTexts(context.random);
  const nonsense = texts.map(async (text): Promise<TextQuery> => {
    const asked = await askList(context, `q=${percentEncoded(text)}`);
    return { what: `q="${text}"`, text, kind: "nonsense", ...asked };
  });
  const beside = texts.slice(0, 1).map((text) => askBeside(context, entries, text));
  return (await Promise.all([...byName, ...nonsense, ...beside])).flatMap((each) => each ?? []);
}

/** A text that nothing matches, beside the smallest category: most likely that is one page. */
async function askBeside(
  context: Context,
  entries: readonly WorkerEntry[],
  text: string,
): Promise<TextQuery | null> {
  const [within] = [...new Set(entries.flatMap(({ category }) => category || []))]
    .map((category) => ({ category, ids: idsOf(category, entries) }))
    .sort((a, b) => a.ids.length - b.ids.length);
  if (within === undefined) return null;
  const { category } = within;
  const query = `${categoryFilter(category)}&q=${percentEncoded(text)}`;
  const what = `category "${category}" with q="${text}"`;
  return { what, text, kind: "beside", within, ...(await askList(context, query)) };
}

function idsOf(category: string, entries: readonly WorkerEntry[]): readonly string[] {
  return entries.flatMap((each) => (each.category === category ? each.id : []));
}

function joined(...queries: readonly string[]): string {
  return queries.filter((query) => query !== "").join("&");
}

/**
 * Texts that nothing matches, of each form that a name may have; two with what patterns and
 * statements give a meaning to.
 */
function nonsenseTexts(random: Random): readonly string[] {
  const [first, second] = [random.token(14), random.token(14)];
  const odd = `${first}'s (ä東 & ${second}`;
  return [random.token(24), `${first.toUpperCase()} ${second}`, odd, openText(random)];
}

/** Begins what patterns and queries have to end, and escapes what is put behind it. */
function openText(random: Random): string {
  return `*${random.token(14)} [😀 "\\`;
}

function askList(context: Context, query: string) {
  return context.askAgain({ method: "GET", route: "workers", query, key: context.caller });
}

async function askDetails(context: Context, known: Catalogue): Promise<readonly StatusCase[]> {
  const further = known.entries.filter(({ id }) => !known.details.has(id));
  const answers = await Promise.all(
    sampled(context.random, further, FURTHER_DETAILS_MAX).map(({ id }) => readDetail(context, id)),
  );
  return [...known.details.values(), ...answers].map(({ answer }) => answer);
}

/** Each is asked for, and a job is submitted to it, with an input that would be right. */
async function askUnknown(context: Context, known: Catalogue): Promise<readonly StatusCase[]> {
  const { caller: key, plan, random } = context;
  const { id = null, input = {} } = plan.workers.success ?? {};
  const listed = new Set([...known.details.keys(), ...known.entries.map((each) => each.id)]);
  const ids = unknownWorkerIds(random, id).filter((each) => !listed.has(each.id));
  const body = JSON.stringify(input);
  const ask = async (unknown: UnknownId): Promise<StatusCase[]> => {
    const { what, id: parameter, lawful, mayBeIssued = false } = unknown;
    const detail = await context.askAgain({ method: "GET", route: "worker", parameter, key });
    if (mayBeIssued && isItsOwn(detail, parameter)) return [];
    const submit = await askRefused(context, {
      method: "POST",
      route: "submit",
      parameter,
      key,
      body,
    });
    return [
      { what: `the detail of ${what}`, lawful, ...detail },
      { what: `a submission to ${what}`, lawful, ...submit },
    ];
  };
  return (await Promise.all(ids.map(ask))).flat();
}

/** Whether there is such a worker after all: one that the list did not name. */
function isItsOwn({ attempts }: Asked, id: string): boolean {
  const last = attempts.at(-1);
  return last?.status === 200 && decodeWorker(jsonBody(last)).value?.id === id;
}

export const publishStep: Step = {
  name: "workers: publish",
  promises: ["workers.publish"],
  async run(context) {
    const { plan, caller: key } = context;
    if (plan.publish === null || key === null) {
      return nothing("the target names no worker that may be published", ["workers.publish"]);
    }
    const ask = async (parameter: string, asker: string) => {
      const call = { method: "POST", route: "publish", parameter, body: "{}" } as const;
      return await context.askAgain({ ...call, key: asker });
    };
    const { worker } = plan.publish;
    const { free, measured } = publishersOf(plan, key);
    const [first = key, ...others] = free;
    let own = await ask(worker, first);
    for (const other of others) {
      if (!isAnothersWorker(own)) break;
      const asked = await ask(worker, other);
      if (!isAnothersWorker(asked)) own = asked;
    }
    const unknown = await ask(madeUpWorkerId(context.random, worker), key);
    const value = {
      own: { what: "an own worker", ...own },
      unknown: { what: "an unknown worker", ...unknown },
      ...(measured.length > 0 ? { unasked: measured } : {}),
    };
    return [{ kind: "contract.publish", value }];
  },
};

const accountOf = ({ account, name }: PlanKey) => account ?? name;

/** A key of each account that may own the worker, the caller first; of `measured` none is free. */
function publishersOf({ keys, roles, publish }: RunPlan, caller: string) {
  const owner = keys.filter(({ name }) => name === publish?.key).map(accountOf);
  const mayOwn = keys.filter((each) => {
    return each.state === "active" && (owner.length === 0 || owner.includes(accountOf(each)));
  });
  const free = [
    ...mayOwn.filter(({ name }) => name === caller),
    ...mayOwn.filter(({ name }) => name !== caller && !roles.limited.includes(name)),
  ];
  const accounts = free.map(accountOf);
  const measured = mayOwn.filter((each) => !accounts.includes(accountOf(each)));
  return { free: oneEach(free), measured: oneEach(measured) };
}

/** Of each account the first key, by its name. */
function oneEach(keys: readonly PlanKey[]): readonly string[] {
  const accounts = keys.map(accountOf);
  const firsts = keys.filter((each, at) => accounts.indexOf(accountOf(each)) === at);
  return firsts.map(({ name }) => name);
}

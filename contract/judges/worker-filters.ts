/** Judges the filters of the worker list; how texts match is open. Spec §4.1. */

import { countsTold, namesNextPage, namesNoMore, saysItGoesOn } from "../answers/next-page.ts";
import { speaksOfPages } from "../answers/page-fields.ts";
import { areWholeList } from "../answers/read-pages.ts";
import { isObject } from "../decode/decoded.ts";
import type { WorkerEntry } from "../decode/worker.ts";
import type { Read } from "../judging/claim.ts";
import { countsOf } from "../judging/claim.ts";
import { judgeCounted } from "../judging/decide.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isClientError, jsonBody } from "../requests/exchange.ts";
import type { Finding } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { answered, statusOutcome } from "./expected-status.ts";
import { isSameJson } from "./job/same-json.ts";
import { listEntries } from "./workers.ts";

export interface CategoryQuery extends StatusCase {
  category: string;
  /** True for a category that nobody uses. */
  madeUp: boolean;
  /** The text query beside it: no worker of the category has to match that. */
  text?: string;
  /** The pages after the first. */
  further: readonly Exchange[];
}

/** A worker by its category, as the list told it before and after the filtered ones. */
export type Categorised = Pick<WorkerEntry, "id" | "category">;

/** The list without a filter: what did not change meanwhile, and how long its first page is. */
export interface Unfiltered {
  steady: readonly Categorised[];
  length: number;
}

export function judgeCategoryFilter(
  queries: readonly CategoryQuery[],
  without: string,
  unfiltered: Unfiltered,
): Finding {
  const counts = countsOf(queries.flatMap((query) => readCategory(query, unfiltered)));
  return judgeCounted({
    promise: "workers.category-filter",
    ...counts,
    of: "lists",
    kept: `${counts.good} filtered lists hold only entries of the category asked for`,
    without,
  });
}

/** What nothing has to match may be refused: a category that nobody uses, or one with a text. */
function readCategory(query: CategoryQuery, unfiltered: Unfiltered): readonly Read[] {
  const { category, madeUp, text, further } = query;
  const asked = `category "${category}"${text === undefined ? "" : ` with q="${text}"`}`;
  const mayBeEmpty = madeUp || text !== undefined;
  // Where the marketplace has one category, no other list may be asked for.
  if (mayBeEmpty && isRefusal(query)) return [];
  return readFiltered(query, asked, mayBeEmpty, (entries, answer) => {
    const pages = [answer, ...further];
    const other = pages.flatMap((page) => otherIn(page, category) ?? [])[0];
    const stray =
      other === undefined
        ? null
        : `${asked} returned worker "${other.id}" of category "${other.category}"; ` +
          "promised only entries of that category";
    const none = `${asked} returned nothing; the list has such workers`;
    const isLacking = entries.length === 0 && !mayBeEmpty;
    const wanted = text === undefined ? leftOutOf(category, pages, unfiltered) : null;
    const what = stray ?? (isLacking ? none : wanted);
    const good = pages.map((): Read => ({ says: "good" }));
    return what === null ? good : [{ says: "fault", what }, ...good.slice(1)];
  });
}

/** A worker of the category that a filtered list lacks, though that was read to its end. */
function leftOutOf(
  category: string,
  pages: readonly Exchange[],
  { steady, length }: Unfiltered,
): string | null {
  if (!isWhole(pages, length)) return null;
  const shown = new Set(pages.flatMap((page) => listEntries(page) ?? []).map(({ id }) => id));
  const missing = steady.find((each) => each.category === category && !shown.has(each.id));
  if (missing === undefined) return null;
  return (
    `category "${category}" left out worker "${missing.id}", to which the list gives that ` +
    "category; promised a list that is narrowed to it"
  );
}

/**
 * Whether the pages, from the first one on, end where the list does. Pagination is open: of a list
 * that says nothing of pages, one that is as long as the unfiltered one may be the first page.
 */
function isWhole(pages: readonly Exchange[], pageLength: number): boolean {
  const last = pages.at(-1);
  const body = last === undefined ? null : jsonBody(last);
  const isPaged = isObject(body) && (speaksOfPages(body) || namesNoMore(body));
  const fullLength = pageLength || Infinity;
  const isFull = (listEntries(last)?.length ?? 0) >= fullLength;
  const isEnd = areWholeList(pages, isPaged, fullLength);
  return isEnd && (isPaged || pages.length > 1 || !isFull);
}

/** `asked`: the query, as a finding names it. */
function readFiltered(
  query: StatusCase,
  asked: string,
  mayBeRefused: boolean,
  read: (entries: readonly WorkerEntry[], answer: Exchange) => readonly Read[],
): readonly Read[] {
  const answer = query.attempts.at(-1);
  const exchanges = answer === undefined ? [] : [answer];
  const entries = listEntries(answer);
  const isOther = statusOutcome(query, (status) => status === 200, []) === "contradicts";
  if (isOther && !(mayBeRefused && isRefusal(query))) {
    const { what: got } = answered({ ...query, what: asked });
    const what = `${got}; promised a list`;
    return [{ says: "fault", what, exchanges }];
  }
  if (answer === undefined || entries === null) {
    return [{ says: "open", what: `${asked} was not answered with a list` }];
  }
  return read(entries, answer).map((each) =>
    each.says === "fault" ? { ...each, exchanges } : each,
  );
}

function isRefusal({ attempts }: StatusCase): boolean {
  const last = attempts.at(-1);
  return last !== undefined && isClientError(last);
}

/** An entry that names no category contradicts nothing: that is the list's shape, if anything. */
function otherIn(page: Exchange, wanted: string) {
  const entries = listEntries(page) ?? [];
  return entries.find(({ category, moreCategories }) => {
    return category !== null && ![category, ...moreCategories].some((own) => isOf(own, wanted));
  });
}

/** Ours: what parts the steps of a path, as in "media/video". */
const STEP = /^\s*[/>:|.\\›»→]/;

/** Whether a category is the wanted one, in any letter case, or one within it. */
function isOf(category: string, wanted: string): boolean {
  const [own, whole] = [category, wanted].map((text) => text.trim().toLowerCase());
  if (own === undefined || whole === undefined) return false;
  return own === whole || (own.startsWith(whole) && STEP.test(own.slice(whole.length)));
}

export type TextQuery = StatusCase & { text: string } & (
    | { kind: "name"; workerId: string }
    | { kind: "nonsense" }
    | { kind: "beside"; within: Within }
  );

/** A category that is asked for beside a text, and those that the list has of it. */
interface Within {
  category: string;
  ids: readonly string[];
}

export interface TextFilterInput {
  queries: readonly TextQuery[];
  /** Identifiers of the list without a filter. */
  unfiltered: readonly string[];
  /** What that list says it counts: entries and pages. */
  counts: readonly number[];
  without: string;
}

export function judgeTextFilter(input: TextFilterInput): Finding {
  const { queries, unfiltered, without } = input;
  const areNamed = queries.some(({ kind }) => kind === "name");
  const ofNames = areNamed ? "each worker is found by its name, and " : "";
  return judgeCounted({
    promise: "workers.text-filter",
    ...countsOf([
      ...queries.flatMap((query) => readText(query, input)),
      ...readAllNames(queries, unfiltered),
    ]),
    of: "queries",
    kept: `${ofNames}a random text does not match all`,
    without,
    quorum: { openShare: 0 },
  });
}

/** Of a text whose form a service does not search for, as it is too long or has odd letters. */
const TURNED_AWAY: readonly number[] = [400, 403, 414, 422];

/** Ours: searches ask for two to four characters at the least. */
const SHORT_NAME = 3;

/**
 * A random text that is turned away says nothing, once another has narrowed the list; nor does a
 * name, where it is longer than each text that was searched for, or so short that none was.
 */
function readText(
  query: TextQuery,
  { queries: all, unfiltered, counts }: TextFilterInput,
): readonly Read[] {
  if (query.kind === "beside") return readBeside(query, query.within, all);
  const isTurnedAway = TURNED_AWAY.includes(query.attempts.at(-1)?.status ?? 0);
  if (query.kind === "name" && isTurnedAway && isOfOtherLength(query, all)) return [];
  const narrows = (other: TextQuery) => other.kind !== "beside" && isNarrower(other, unfiltered);
  if (query.kind === "nonsense" && isTurnedAway && all.some(narrows)) return [];
  const asked = `q="${query.text}"`;
  return readFiltered(query, asked, query.kind === "nonsense", (entries, answer) => {
    const ids = entries.map(({ id }) => id);
    if (query.kind === "nonsense") return [readNonsense(ids, unfiltered)];
    if (isFound(query)) return [{ says: "good" }];
    const isMore = goesOn(answer, unfiltered, counts);
    return isMore ? readUnfound(query, all) : [notFound(query, ids)];
  });
}

function isOfOtherLength({ text }: TextQuery, all: readonly TextQuery[]): boolean {
  const served = all.filter(({ attempts }) => listEntries(attempts.at(-1)) !== null);
  const lengths = served.map((other) => other.text.length);
  const isShorter = text.length <= SHORT_NAME && Math.min(...lengths) > text.length;
  return lengths.length > 0 && (isShorter || Math.max(...lengths) < text.length);
}

function isNarrower({ attempts }: TextQuery, unfiltered: readonly string[]): boolean {
  const shown = listEntries(attempts.at(-1))?.map(({ id }) => id);
  return shown !== undefined && !unfiltered.every((id) => shown.includes(id));
}

/** Nothing is said of a text that matches some by itself, or of a refusal: both may be. */
function readBeside(
  query: TextQuery,
  { category, ids }: Within,
  all: readonly TextQuery[],
): readonly Read[] {
  const alone = all.find(({ kind, text }) => kind === "nonsense" && text === query.text);
  if (listEntries(alone?.attempts.at(-1))?.length !== 0) return [];
  const asked = `category "${category}" with q="${query.text}"`;
  const reads = readFiltered(query, asked, true, (entries) => {
    const shown = entries.map((each) => each.id);
    const isIgnored = ids.length > 0 && ids.every((id) => shown.includes(id));
    const what =
      `${asked} returned all ${ids.length} of the category, and the text alone matches nothing; ` +
      "promised a list that both narrow";
    return [isIgnored ? { says: "fault", what } : { says: "good" }];
  });
  return reads.filter(({ says }) => says !== "open");
}

type NameQuery = Extract<TextQuery, { kind: "name" }>;

function isFound({ workerId, attempts }: NameQuery): boolean {
  return listEntries(attempts.at(-1))?.some(({ id }) => id === workerId) === true;
}

/**
 * Other matches may have pushed the worker to the next page. What is counted in the whole
 * marketplace says nothing of the matches.
 */
function goesOn(
  answer: Exchange,
  unfiltered: readonly string[],
  counts: readonly number[],
): boolean {
  const length = listEntries(answer)?.length ?? 0;
  const isFull = length >= unfiltered.length && length > 0;
  const body = jsonBody(answer);
  if (isFull || namesNextPage(body, answer.headers.link)) return true;
  const told = countsTold(body);
  const isOfAll = told.length > 0 && isSameJson(told, counts);
  return !isOfAll && saysItGoesOn(body, answer.headers.link);
}

/** A name that many have in common says nothing beside others that find their workers. */
function readUnfound({ text }: NameQuery, all: readonly TextQuery[]): readonly Read[] {
  if (all.some((other) => other.kind === "name" && isFound(other))) return [];
  return [{ says: "open", what: `q="${text}" fills a page without its own worker` }];
}

function notFound({ text, workerId }: NameQuery, ids: readonly string[]): Read {
  const what =
    `q="${text}", the name of worker "${workerId}", returned ` +
    `${ids.length} others; promised to find it by its name`;
  return { says: "fault", what };
}

/** Ours: with fewer workers, a search by likeness may well find each by any name. */
const NAMES_ENOUGH = 4;
/** Ours: what two words begin with that a search may take for alike, as "resize" and "resizing". */
const STEM_LENGTH = 4;

/**
 * A search that takes a name for a reason to list everything: by no name is the list shorter, or in
 * another order, which a search that ranks would give it.
 */
function readAllNames(
  queries: readonly TextQuery[],
  unfiltered: readonly string[],
): readonly Read[] {
  const byName = queries.flatMap((query) => {
    const answer = query.kind === "name" ? query.attempts.at(-1) : undefined;
    const entries = listEntries(answer);
    return answer === undefined || entries === null ? [] : [{ ...query, answer, entries }];
  });
  const isWhole = byName.every(({ entries }) => isSameOrder(entries, unfiltered));
  const unlike = byName.filter(({ text, entries }) => entries.some((each) => isUnlike(each, text)));
  const names = new Set(unlike.map(({ text }) => text)).size;
  if (!isWhole || names < NAMES_ENOUGH || unfiltered.length < NAMES_ENOUGH) return [];
  const what =
    `each of ${byName.length} names returned all ${unfiltered.length} workers, also those that ` +
    "hold no word of it; promised a narrower list";
  return [{ says: "fault", what, exchanges: unlike.slice(0, 2).map(({ answer }) => answer) }];
}

function isSameOrder(entries: readonly WorkerEntry[], ids: readonly string[]): boolean {
  return entries.length === ids.length && entries.every(({ id }, at) => id === ids[at]);
}

/** Whether nothing that the entry tells holds a word of the text, or the beginning of one. */
function isUnlike(entry: WorkerEntry, text: string): boolean {
  const told = JSON.stringify(entry).toLowerCase();
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => !told.includes(word.slice(0, STEM_LENGTH)));
}

function readNonsense(ids: readonly string[], unfiltered: readonly string[]): Read {
  if (ids.length === 0) return { says: "good" };
  if (unfiltered.length === 0) return { says: "open", what: "the whole list is not known" };
  if (!unfiltered.every((id) => ids.includes(id))) return { says: "good" };
  const what = `a random text matched all ${ids.length} workers; promised a narrower list`;
  return { says: "fault", what };
}

/** Account, worker list, filters, details, publishing. Spec §2.2, §2.3, §4.1, §4.2, §4.7, §4.8. */

import { describe, expect, it } from "vitest";
import { judgeAccountReadable } from "../../../contract/judges/account.ts";
import { judgeStatus } from "../../../contract/judges/expected-status.ts";
import { judgePublish } from "../../../contract/judges/publish.ts";
import { judgeCategoryFilter, judgeTextFilter } from "../../../contract/judges/worker-filters.ts";
import { judgeDetailShape, judgeListShape } from "../../../contract/judges/workers.ts";
import { answer, asked, withJson } from "./answers.ts";

const ENTRY = {
  worker_id: "echo",
  name: "Echo",
  price_per_run_usd: 0.01,
  billing_mode: "per_run",
  short_description: "Says it again.",
  category: "text",
  tags: ["quick"],
};
const OTHER = { ...ENTRY, worker_id: "sleep", name: "Sleep", category: "timing" };
/** Nothing is known of the list without a filter. */
const UNKNOWN = { steady: [], length: 0 };
const DETAIL = {
  worker_id: "echo",
  name: "Echo",
  status: "ACTIVE",
  billing_mode: "per_run",
  timeout_seconds: 60,
  input_schema: { type: "object" },
  output_schema: {},
  readme_content: null,
};

describe("account.readable", () => {
  const rows = [
    ["JSON of any shape", withJson(200, [1]), "kept"],
    ["JSON null", withJson(200, null), "kept"],
    ["HTML", answer(200, { body: "<!doctype html>" }), "broken"],
    ["an empty body", answer(200, { body: "" }), "broken"],
    ["204", answer(204, { body: "" }), "broken"],
    ["403", answer(403), "broken"],
    ["no answer", answer(0), "inconclusive"],
    ["one 500", answer(500), "inconclusive"],
  ] as const;
  it.each(rows)("%s: %#", (_name, exchange, verdict) => {
    const cases = [asked("me", withJson(200, {})), asked("credits", exchange)];
    expect(judgeAccountReadable(cases).verdict).toBe(verdict);
  });
});

describe("workers.list-shape", () => {
  it.each([
    ["the documented fields", { workers: [ENTRY, OTHER] }, "kept"],
    ["pages beside", { workers: [ENTRY], next_cursor: "x", total: 9 }, "kept"],
    ["no workers", { workers: [] }, "kept"],
    ["a bare array", [ENTRY], "broken"],
    ["a price as text", { workers: [{ ...ENTRY, price_per_run_usd: "0.01" }] }, "broken"],
    ["tags as text", { workers: [{ ...ENTRY, tags: "quick" }] }, "broken"],
    ["one entry without worker_id", { workers: [OTHER, { ...ENTRY, worker_id: null }] }, "broken"],
  ])("%s: %#", (_name, body, verdict) => {
    expect(judgeListShape(asked("list", withJson(200, body))).verdict).toBe(verdict);
  });

  it("a later page is read as the first one is", () => {
    const list = asked("list", withJson(200, { workers: [ENTRY] }));
    const later = (entry: object) => [withJson(200, { workers: [entry] }), answer(404)];
    expect(judgeListShape(list, later(OTHER)).verdict).toBe("kept");
    expect(judgeListShape(list, later({ ...OTHER, name: null })).verdict).toBe("broken");
  });

  it("another status than 200 breaks it", () => {
    expect(judgeListShape(asked("list", answer(404))).verdict).toBe("broken");
  });
});

describe("workers.detail-shape", () => {
  it.each([
    ["timeout_seconds", DETAIL, "kept"],
    ["max_duration", { ...DETAIL, timeout_seconds: undefined, max_duration: 60 }, "kept"],
    ["no limit", { ...DETAIL, timeout_seconds: undefined }, "broken"],
    ["a limit of 0", { ...DETAIL, timeout_seconds: 0 }, "broken"],
    ["a fractional limit", { ...DETAIL, timeout_seconds: 1.5 }, "broken"],
    ["a schema as text", { ...DETAIL, input_schema: "{}" }, "broken"],
  ])("%s: %#", (_name, body, verdict) => {
    expect(judgeDetailShape([asked("echo", withJson(200, body))]).verdict).toBe(verdict);
  });

  it.each([
    ["the worker that was asked for", "echo", ["echo", "sleep"], "kept"],
    ["another worker than the listed one", "sleep", ["echo", "sleep"], "broken"],
    ["a worker of another name that the list does not have", "acme/echo", ["sleep"], "kept"],
  ])("names %s: %#", (_name, path, listed, verdict) => {
    const detail = withJson(200, DETAIL, { path: `/v1/workers/${encodeURIComponent(path)}` });
    expect(judgeDetailShape([asked("it", detail)], new Set(listed)).verdict).toBe(verdict);
  });

  it("a configured worker that is 404 breaks it", () => {
    expect(judgeDetailShape([asked("echo", answer(404))]).verdict).toBe("broken");
  });
});

describe("workers.category-filter", () => {
  const within = (change: object) => ({ workers: [ENTRY, { ...OTHER, ...change }] });
  const query = (body: unknown, madeUp = false, status = 200) => ({
    ...asked("category", withJson(status, body)),
    category: "text",
    madeUp,
    further: [],
  });
  it.each([
    ["only that category", query({ workers: [ENTRY] }), "kept"],
    ["another category too", query({ workers: [ENTRY, OTHER] }), "broken"],
    ["one in another letter case", query(within({ category: "Text" })), "kept"],
    ["one within that category", query(within({ category: "text/prose" })), "kept"],
    ["one within that category, behind a point", query(within({ category: "text.prose" })), "kept"],
    ["one that only begins like it", query(within({ category: "text-tools" })), "broken"],
    ["one that holds it", query(within({ category: "all/text" })), "broken"],
    [
      "one of several categories",
      query(within({ category: "data", categories: ["data", "text"] })),
      "kept",
    ],
    [
      "one of several others",
      query(within({ category: "data", categories: ["data", "time"] })),
      "broken",
    ],
    ["one that has it as a tag", query(within({ category: "data", tags: ["text"] })), "broken"],
    ["nothing, though the list has some", query({ workers: [] }), "broken"],
    ["nothing of a category that nobody uses", query({ workers: [] }, true), "kept"],
    ["400 to a category that nobody uses", query({}, true, 400), "unobserved"],
    ["no list of a category that nobody uses", query({}, true, 0), "inconclusive"],
    ["400 to a category of the list", query({}, false, 400), "broken"],
    ["no list", query({}, false, 0), "inconclusive"],
  ])("%s: %#", (_name, each, verdict) => {
    expect(judgeCategoryFilter([each], "", UNKNOWN).verdict).toBe(verdict);
  });
});

it("a worker of the category that a whole list lacks breaks workers.category-filter", () => {
  const steady = ["echo", "shout"].map((id) => ({ id, category: "text" }));
  const query = (body: object, ...pages: readonly object[]) => ({
    ...asked("category", withJson(200, body)),
    ...{ category: "text", madeUp: false },
    further: pages.map((page) => withJson(200, page)),
  });
  const verdictOn = (...given: Parameters<typeof query>) =>
    judgeCategoryFilter([query(...given)], "", { steady, length: 2 }).verdict;
  const shout = { ...ENTRY, worker_id: "shout" };
  const third = { ...ENTRY, worker_id: "third" };
  expect(verdictOn({ workers: [ENTRY] })).toBe("broken");
  expect(verdictOn({ workers: [ENTRY, third] })).toBe("kept");
  expect(verdictOn({ workers: [ENTRY, third], has_more: false })).toBe("broken");
  expect(verdictOn({ workers: [ENTRY, third], count: 2 })).toBe("kept");
  expect(verdictOn({ workers: [ENTRY], count: 1 })).toBe("broken");
  expect(verdictOn({ workers: [ENTRY, shout] })).toBe("kept");
  expect(verdictOn({ workers: [ENTRY], next_cursor: "b" }, { workers: [shout] })).toBe("kept");
  expect(verdictOn({ workers: [ENTRY], next_cursor: "b" })).toBe("kept");
  expect(verdictOn({ workers: [ENTRY], request_id: "r", as_of: "today" })).toBe("broken");
  for (const name of ["after", "scroll_id", "LastEvaluatedKey", "start_after"]) {
    expect(verdictOn({ workers: [ENTRY], [name]: "b" })).toBe("kept");
  }
});

it("a second page of another category breaks workers.category-filter", () => {
  const further = [withJson(200, { workers: [OTHER] })];
  const first = asked("category", withJson(200, { workers: [ENTRY] }));
  const query = { ...first, category: "text", madeUp: false, further };
  expect(judgeCategoryFilter([query], "", UNKNOWN).verdict).toBe("broken");
});

describe("workers.text-filter", () => {
  const name = (...workers: readonly object[]) => ({
    ...asked("q", withJson(200, { workers })),
    text: "Echo",
    kind: "name" as const,
    workerId: "echo",
  });
  const nonsense = (...workers: readonly object[]) => ({
    ...asked("q", withJson(200, { workers })),
    text: "zzzz",
    kind: "nonsense" as const,
  });
  const beside = (...workers: readonly object[]) => ({
    ...nonsense(...workers),
    kind: "beside" as const,
    within: { category: "text", ids: ["echo"] },
  });
  const refused = { ...beside(), attempts: [answer(400)] };
  it.each([
    ["leaves all of the category", [nonsense(), beside(ENTRY)], "broken"],
    ["leaves nothing of the category", [nonsense(), beside()], "kept"],
    ["is refused beside a category", [nonsense(), refused], "kept"],
    ["matches something by itself", [nonsense(OTHER), beside(ENTRY)], "kept"],
  ])("a text that nothing matches %s: %#", (_name, queries, verdict) => {
    const input = { queries, unfiltered: ["echo", "sleep"], counts: [], without: "" };
    expect(judgeTextFilter(input).verdict).toBe(verdict);
  });

  const NAMES = ["Pdf Print", "Sleep", "Mail Shot", "Zip"];
  const shelf = NAMES.map((each) => ({ ...ENTRY, worker_id: each, name: each }));
  const byNames = (
    shown: (at: number) => readonly object[],
    names: readonly string[] = NAMES,
  ): Parameters<typeof judgeTextFilter>[0] => ({
    queries: names.map((text, at) => ({ ...name(...shown(at)), text, workerId: NAMES[at] ?? "" })),
    unfiltered: NAMES,
    counts: [],
    without: "",
  });
  const common = shelf.map((each) => ({ ...each, short_description: "A tool." }));
  const first = (at: number) => [...shelf.slice(at, at + 1), ...shelf.filter((_, i) => i !== at)];
  it.each([
    ["each find all", byNames(() => shelf), "broken"],
    ["find all but one", byNames((at) => (at === 0 ? shelf.slice(0, 1) : shelf)), "kept"],
    ["are ranked", byNames(first), "kept"],
    ["are too few", byNames(() => shelf, NAMES.slice(0, 3)), "kept"],
    [
      "have a word in common with all",
      byNames(
        () => common,
        NAMES.map((each) => `${each} Tools`),
      ),
      "kept",
    ],
  ])("names that %s: %#", (_name, input, verdict) => {
    expect(judgeTextFilter(input).verdict).toBe(verdict);
  });

  const longer = (status: number) => ({
    ...name(ENTRY),
    text: "Echo of all that is said",
    ...(status === 200 ? {} : { attempts: [answer(status)] }),
  });
  const failing = { attempts: [500, 500, 500].map((each) => answer(each)), meanwhile: answer(200) };
  const refusedName = { ...name(), attempts: [answer(422)] };
  const ofTwo = { ...refusedName, text: "AI", workerId: "ai" };
  const three = { ...name(ENTRY), text: "OCR" };
  const turnedAway = (status: number) => ({ ...nonsense(), attempts: [answer(status)] });
  it.each([
    [
      "400 where another was searched for",
      [name(ENTRY, OTHER), nonsense(), turnedAway(400)],
      "kept",
    ],
    [
      "403 where another was searched for",
      [name(ENTRY, OTHER), nonsense(), turnedAway(403)],
      "kept",
    ],
    ["414 where the name left some out", [name(ENTRY), turnedAway(414)], "kept"],
    ["422 where the name left none out", [name(ENTRY, OTHER), turnedAway(422)], "inconclusive"],
    ["422 as each text is", [{ ...name(), attempts: [answer(422)] }, turnedAway(422)], "broken"],
    [
      "422, and another matches all",
      [name(ENTRY), nonsense(ENTRY, OTHER), turnedAway(422)],
      "broken",
    ],
    ["404", [name(ENTRY), nonsense(), turnedAway(404)], "inconclusive"],
    ["500 each time", [name(ENTRY), nonsense(), { ...turnedAway(500), ...failing }], "broken"],
    ["422 as a longer name is", [name(ENTRY), longer(422), turnedAway(422)], "kept"],
    ["422 as a shorter name is", [longer(200), turnedAway(422), refusedName], "broken"],
    ["in vain, and 422 to a name of two letters", [name(ENTRY), nonsense(), ofTwo], "kept"],
    ["422 as a name of two letters is, and another not", [three, nonsense(), ofTwo], "kept"],
    ["422 as all names are, of two letters", [ofTwo, turnedAway(422)], "broken"],
  ])("a random text is answered %s: %#", (_name, queries, verdict) => {
    const input = { queries, unfiltered: ["echo", "sleep"], counts: [], without: "" };
    expect(judgeTextFilter(input).verdict).toBe(verdict);
  });

  const paged = (page: object) => {
    return { ...name(), ...asked("q", withJson(200, { workers: [OTHER], ...page })) };
  };

  it.each([
    [
      "names and a random text",
      [name(ENTRY), nonsense()],
      "each worker is found by its name, and a",
    ],
    ["a random text alone", [nonsense()], "a random text does not match all"],
  ])("that is kept tells what was asked: %s", (_name, queries, told) => {
    const input = { queries, unfiltered: ["echo", "sleep"], counts: [], without: "" };
    const { verdict, summary } = judgeTextFilter(input);
    expect(verdict).toBe("kept");
    expect(summary.startsWith(told)).toBe(true);
  });

  it("tells of no chance text that it matched all, where all are not known", () => {
    const input = { queries: [nonsense(OTHER)], unfiltered: [], counts: [], without: "" };
    expect(judgeTextFilter(input).verdict).toBe("inconclusive");
  });

  it.each([
    ["the name finds it, nonsense nothing", [name(ENTRY), nonsense()], "kept"],
    ["nonsense finds something, not all", [name(ENTRY), nonsense(OTHER)], "kept"],
    ["the name does not find it", [name(OTHER), nonsense()], "broken"],
    ["the name finds nothing", [name(), nonsense()], "broken"],
    ["nonsense finds all", [name(ENTRY), nonsense(ENTRY, OTHER)], "broken"],
    ["a page full of others", [name(OTHER, OTHER), nonsense()], "inconclusive"],
    ["the same, and others find theirs", [name(OTHER, OTHER), name(ENTRY), nonsense()], "kept"],
    ["a short page of others, and more to come", [paged({ next_cursor: "b" })], "inconclusive"],
    ["a short page of others of more", [paged({ total: 9 })], "inconclusive"],
    ["a short page of others of all workers", [paged({ total: 57 })], "broken"],
    ["the same, and more", [paged({ total: 57, has_more: true })], "inconclusive"],
    ["a short page of others, which is the last", [paged({ next_cursor: null })], "broken"],
    ["nothing asked", [], "unobserved"],
  ])("%s: %#", (_name, queries, verdict) => {
    const input = { queries, unfiltered: ["echo", "sleep"], counts: [57], without: "" };
    expect(judgeTextFilter(input).verdict).toBe(verdict);
  });
});

describe("workers.unknown and workers.publish", () => {
  it.each([
    [404, "kept"],
    [200, "broken"],
    [400, "broken"],
    [402, "inconclusive"],
  ])("an unknown worker answered %i: workers.unknown is %s", (status, verdict) => {
    expect(judgeStatus("workers.unknown", [asked("submit", answer(status))]).verdict).toBe(verdict);
  });

  it.each([
    [200, 404, "kept"],
    [201, 404, "kept"],
    [204, 404, "kept"],
    [403, 404, "broken"],
    [404, 404, "broken"],
    [409, 404, "unobserved"],
    [422, 422, "unobserved"],
    [200, 200, "broken"],
    [200, 400, "broken"],
    [400, 200, "broken"],
    [0, 404, "inconclusive"],
  ])("own worker %i and unknown worker %i: workers.publish is %s", (own, unknown, verdict) => {
    const finding = judgePublish(asked("own", answer(own)), asked("unknown", answer(unknown)));
    expect(finding.verdict).toBe(verdict);
  });

  it.each([
    [404, 404, "unobserved"],
    [403, 404, "unobserved"],
    [404, 200, "broken"],
    [401, 404, "broken"],
    [200, 404, "kept"],
  ])("own worker %i, unknown worker %i, a key was not asked: %s", (own, unknown, verdict) => {
    const cases = [asked("own", answer(own)), asked("unknown", answer(unknown))] as const;
    const finding = judgePublish(...cases, ["pro"]);
    expect(finding.verdict).toBe(verdict);
    const lacks = JSON.stringify(finding).includes("another key of that account, without a plan,");
    expect(lacks).toBe(verdict === "unobserved");
  });
});

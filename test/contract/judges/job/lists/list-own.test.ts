/** The list of recent jobs: the caller's own, and no other. Spec §4.5. */

import { describe, expect, it } from "vitest";
import { listOwnClaim } from "../../../../../contract/judges/job/lists/list-own.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { answer, at, withJson } from "../../answers.ts";

const id = (n: number) => `job_${n}`;
const list = (of: readonly string[], sentMs = 100_000) =>
  withJson(200, { jobs: of.map((job_uuid) => ({ job_uuid })) }, at(sentMs));
/** A first page, which says so in a header alone. RFC 8288. */
const linked = (of: readonly string[]) => ({
  ...list(of),
  headers: { link: '</v1/jobs?cursor=x>; rel="next"' },
});

describe("job.list-own", () => {
  const seen = { id: id(1), lists: [list([id(0)]), list([id(1), id(0)])] };
  const unseen = { id: id(1), lists: [list([id(0)])] };
  const begun = { id: id(1), lists: [list([id(10), id(0)])] };
  const foreign = (of: readonly string[]) => ({ list: list(of), foreignIds: [id(1)] });
  const paged = { id: id(1), lists: [withJson(200, { jobs: [{ id: id(0) }], next_cursor: "x" })] };
  const headed = { id: id(1), lists: [linked([id(0)])] };
  const missing = { id: id(2), lists: [list([id(0)])] };
  const shapeless = { id: id(1), lists: [withJson(200, { message: "soon" })] };
  const cut = {
    id: id(1),
    lists: [answer(200, { ...at(100_000), body: '{"jobs":[{"job_uuid":' })],
  };
  const elsewhere = withJson(200, { jobs: [{ id: "row 7", ref: id(1) }] });
  const named = { id: id(1), lists: [elsewhere] };
  it.each([
    ["named where no identifier is expected", [named], foreign([id(7)]), "unobserved"],
    ["listed to its owner only", [seen], foreign([id(7)]), "kept"],
    ["not listed", [unseen], foreign([id(7)]), "broken"],
    ["not listed, but one that begins so", [begun], foreign([id(7)]), "broken"],
    ["listed to a stranger who has one that begins so", [seen], foreign([id(10)]), "kept"],
    ["listed to a stranger", [seen], foreign([id(1)]), "broken"],
    ["beside a third account's, listed to both", [seen], foreign([id(0)]), "broken"],
    ["perhaps on another page", [paged], foreign([id(7)]), "unobserved"],
    ["perhaps on another page, by a header", [headed], foreign([id(7)]), "unobserved"],
    ["not listed, beside one perhaps on another page", [paged, missing], foreign([]), "broken"],
    ["no list found", [shapeless], foreign([id(7)]), "unobserved"],
    ["a list that was cut", [cut], foreign([id(7)]), "broken"],
    ["no second account", [seen], null, "unobserved"],
    ["no second account, and not listed", [unseen], null, "broken"],
    ["no job", [], foreign([]), "unobserved"],
  ])("%s: %#", (_name, accepted, stranger, verdict) => {
    expect(decide(listOwnClaim({ accepted, stranger, without: "" })).verdict).toBe(verdict);
  });

  const each = (statuses: readonly number[], meanwhile = 200, apartMs = 6_000) => {
    const lists = statuses.map((status, n) => answer(status, at(100_000 + n * apartMs)));
    return { id: id(1), lists, meanwhile: answer(meanwhile) };
  };
  it.each([
    ["500, while the account is answered", each([500, 500, 500]), "broken"],
    ["404, while the account is answered", each([404, 404, 404]), "broken"],
    ["500 or 502", each([500, 502, 500]), "broken"],
    ["500, and so is the account", each([500, 500, 500], 500), "unobserved"],
    ["401, and so is the account", each([401, 401, 401], 401), "unobserved"],
    ["500, or not at all", each([500, 0, 500]), "unobserved"],
    ["500 for a while", each([500, 500, 500], 200, 2_000), "unobserved"],
    ["400, as without a parameter", each([400, 400, 400]), "unobserved"],
    ["500, but twice", each([500, 500], 200, 30_000), "unobserved"],
  ])("the list is answered %s: %#", (_name, accepted, verdict) => {
    const seenBy = { accepted: [accepted], stranger: foreign([]), without: "" };
    expect(decide(listOwnClaim(seenBy)).verdict).toBe(verdict);
  });
});

/** Next pages are followed only where an answer names one in a usual way. */

import { describe, expect, it } from "vitest";
import { nextPageQuery } from "../../../contract/answers/next-page.ts";

describe("nextPageQuery", () => {
  it.each([
    [{ next: "/v1/jobs?page=2" }, "page=2"],
    [{ links: { next: "https://api.example.com/v1/jobs?cursor=a%20b" } }, "cursor=a%20b"],
    [{ next_cursor: "a b" }, "cursor=a%20b"],
    [{ pagination: { nextCursor: "x" } }, "cursor=x"],
    [{ page: 1, per_page: 20, total: 41 }, "page=2"],
    [{ page: 3, per_page: 20, total: 41 }, null],
    [{ meta: { current_page: 1, last_page: 2 } }, "page=2"],
    [{ offset: 20, limit: 20, total: 41 }, "offset=40&limit=20"],
    [{ offset: 40, limit: 20, total: 41 }, null],
    [{ page: 1, total: 5, workers: ["a", "b"] }, "page=2"],
    [{ page: 2, total: 4, workers: ["a", "b"] }, null],
    [{ page: 1, has_more: true }, "page=2"],
    [{ page: 2, has_more: false }, null],
    [{ next_page: 3 }, "page=3"],
    [{ offset: 0, total: 3, workers: ["a", "b"] }, "offset=2&limit=2"],
    [{ pagination: { offset: 4, limit: 4, has_next: true } }, "offset=8&limit=4"],
    [{ offset: 0, total: 3, workers: [] }, null],
    [{ next_page_token: "a/b" }, "page_token=a%2Fb"],
    [{ _links: { next: { href: "/v1/workers?q=a&page=2" } } }, "q=a&page=2"],
    [{ next: null, jobs: [] }, null],
    [{ next_cursor: "" }, null],
    [{ next: 2 }, "page=2"],
    [{ next: "abc" }, "cursor=abc"],
    [{ next: "/v1/workers/pages/2" }, null],
    [{ nextPage: 2 }, "page=2"],
    [{ next_offset: 4 }, "offset=4"],
    [{ next_token: "q" }, "next_token=q"],
    [{ cursor: "x", has_more: true }, "cursor=x"],
    [{ cursor: "x", has_more: false }, null],
    [{ cursor: "x" }, null],
    [{ cursor: { next: "q" } }, "cursor=q"],
    [{ pageInfo: { endCursor: "q", hasNextPage: true } }, "after=q"],
    [{ pageInfo: { endCursor: "q", hasNextPage: false } }, null],
    [{ has_more: true }, "page=2"],
    [{ total: 9, limit: 2, workers: ["a", "b"] }, "offset=2&limit=2"],
    [{ total: 2, limit: 2, workers: ["a", "b"] }, null],
    [{ page: 1, per_page: 2, workers: ["a", "b"] }, "page=2"],
    [{ page: 3, per_page: 2, workers: ["a"] }, null],
    [{ pagination: { page: 1, totalPages: 2 } }, "page=2"],
    [{ pagination: { currentPage: 2, total_pages: 2 } }, null],
    [{ pagination: { currentPage: 1, total_pages: 2 } }, "page=2"],
    [{ meta: { pagination: { page: 1, total_pages: 2 } } }, "page=2"],
    [{ page: { number: 0, size: 4, totalPages: 2 } }, "page=1"],
    [{ data: { workers: ["a"], next_cursor: "q" } }, "cursor=q"],
    [[{ next: "?page=2" }], null],
    [null, null],
  ])("%j: %s", (body, query) => {
    expect(nextPageQuery(body)).toBe(query);
  });

  it.each([
    ["pages from 0 on, the first of three", { number: 0, totalPages: 3 }, 1, "page=1"],
    ["pages from 0 on, the last of three", { number: 2, totalPages: 3 }, 3, null],
    ["pages from 1 on, the last but one", { number: 2, totalPages: 3 }, 2, "page=3"],
  ])("%s", (_, page, pages, query) => {
    expect(nextPageQuery({ page }, "", { pages, entries: 0, pageLength: 0 })).toBe(query);
  });

  it("counts what was read where no page says where it stands", () => {
    const body = { total: 9, limit: 4, workers: ["e", "f", "g", "h"] };
    const read = { pages: 2, entries: 8, pageLength: 4 };
    expect(nextPageQuery(body, "", read)).toBe("offset=8&limit=4");
  });

  it("takes the length of the first page for that of all, where it is told", () => {
    const last = { page: 3, total: 9, workers: ["i"] };
    expect(nextPageQuery(last)).toBe("page=4");
    expect(nextPageQuery(last, "", { pages: 3, entries: 9, pageLength: 4 })).toBeNull();
  });

  it.each([
    ['</v1/jobs?cursor=a>; rel="next"', "cursor=a"],
    ['<https://h/v1/jobs?page=1>; rel="prev", <https://h/v1/jobs?page=3>; rel=next', "page=3"],
    ['</v1/jobs?page=1>; rel="first"', null],
    ["", null],
  ])("Link: %s", (header, query) => {
    expect(nextPageQuery([], header)).toBe(query);
  });
});

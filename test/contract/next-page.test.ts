/** Next pages are followed only where an answer names one in a usual way. */

import { describe, expect, it } from "vitest";
import { nextPageQuery } from "../../contract/next-page.ts";

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
    [{ next: null, jobs: [] }, null],
    [{ next_cursor: "" }, null],
    [{ next: 2 }, null],
    [[{ next: "?page=2" }], null],
    [null, null],
  ])("%j: %s", (body, query) => {
    expect(nextPageQuery(body)).toBe(query);
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

/** Next pages are followed only where an answer names one in a usual way. */

import { describe, expect, it } from "vitest";
import { nextPageQuery } from "../../contract/next-page.ts";

describe("nextPageQuery", () => {
  it.each([
    [{ next: "/v1/jobs?page=2" }, "page=2"],
    [{ links: { next: "https://api.example.com/v1/jobs?cursor=a%20b" } }, "cursor=a%20b"],
    [{ next_cursor: "a b" }, "cursor=a%20b"],
    [{ pagination: { nextCursor: "x" } }, "cursor=x"],
    [{ next: null, jobs: [] }, null],
    [{ next_cursor: "" }, null],
    [{ next: 2 }, null],
    [[{ next: "?page=2" }], null],
    [null, null],
  ])("%j: %s", (body, query) => {
    expect(nextPageQuery(body)).toBe(query);
  });
});

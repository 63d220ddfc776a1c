/** The names by which answers tell of their pages. Spec §4.1, §4.5: open. */

import type { JsonObject } from "../decode/decoded.ts";
import { isCount, isObject } from "../decode/decoded.ts";

/** Members that say the same; of each are meant all spellings, as `per_page`, `perPage`. */
const FAMILIES = {
  link: ["next", "nexturl", "nextpageurl", "nextlink", "nextpage", "nexthref"],
  page: ["page", "currentpage", "pagenumber", "number"],
  nextPage: ["nextpage", "next", "nextpagenumber"],
  size: ["perpage", "pagesize", "limit", "size"],
  last: ["totalpages", "pages", "lastpage", "pagecount", "numpages"],
  total: ["total", "totalcount", "totalitems", "totalelements", "totaljobs", "totalworkers"],
  more: ["hasmore", "hasnext", "hasnextpage"],
  offset: ["offset", "skip"],
  nextOffset: ["nextoffset"],
  count: ["count"],
} as const;

export type PageField = keyof typeof FAMILIES;

/** Members that hold a cursor, with the parameter that takes it. */
const CURSORS: Readonly<Record<string, string>> = {
  next_cursor: "cursor",
  nextCursor: "cursor",
  next_page_token: "page_token",
  nextPageToken: "pageToken",
  next_token: "next_token",
  nextToken: "nextToken",
  endCursor: "after",
  end_cursor: "after",
  continuation_token: "continuation_token",
  continuationToken: "continuationToken",
};

/** Members that may hold a cursor, where it is no link. */
const NEXT_ONES = ["next", "nextPage", "next_page"];

/** Objects that speak of pages, wherever in the answer. */
const GROUPS = [
  ...["links", "_links", "pagination", "meta", "paging", "page_info", "pageInfo", "page"],
  ...["cursor", "cursors", "data", "result"],
];
/** Ours: `meta.pagination.links`. */
const GROUPS_DEEP = 3;

/** What one object says of pages. */
export class PagePlace {
  private readonly members: JsonObject;
  private readonly byName: ReadonlyMap<string, unknown>;

  constructor(members: JsonObject) {
    this.members = members;
    // `per_page`, `perPage` and `per-page` alike.
    const plain = (name: string) => name.replace(/[_-]/g, "").toLowerCase();
    this.byName = new Map(Object.entries(members).map(([name, value]) => [plain(name), value]));
  }

  /** The values of the family's members that there are. */
  all(field: PageField): readonly unknown[] {
    return FAMILIES[field].flatMap((name) =>
      this.byName.has(name) ? [this.byName.get(name)] : [],
    );
  }

  /** The first whole number that is not negative; null without one. */
  count(field: PageField): number | null {
    return this.all(field).find(isCount) ?? null;
  }

  /** Whether there are more pages, where that is said. */
  more(): boolean | null {
    const said = this.all("more").find((value) => typeof value === "boolean");
    return typeof said === "boolean" ? said : null;
  }

  /** The parameter and its value. */
  cursor(): readonly [string, string] | null {
    for (const [name, parameter] of Object.entries(CURSORS)) {
      const cursor = this.members[name];
      if (typeof cursor === "string" && cursor !== "") return [parameter, cursor];
    }
    // A cursor without more may be the one that was asked for.
    for (const name of [...NEXT_ONES, ...(this.more() === true ? ["cursor"] : [])]) {
      const cursor = this.members[name];
      if (typeof cursor === "string" && /^[^/?:]+$/.test(cursor)) return ["cursor", cursor];
    }
    return null;
  }
}

/** The answer itself, and the objects in it that speak of pages. */
export function placesOf(body: JsonObject, deep = GROUPS_DEEP): readonly PagePlace[] {
  const groups = deep === 0 ? [] : GROUPS.map((name) => body[name]).filter(isObject);
  return [new PagePlace(body), ...groups.flatMap((group) => placesOf(group, deep - 1))];
}

/** Ours: parts of names that hint at pages, also at ones that nobody here can follow. */
const PAGE_WORDS = new RegExp(
  [
    "next|cursor|page|paging|pagin|offset|skip|total|count|more|remaining|limit|continu|token",
    "marker|bookmark|scroll|resume|after|(last|start).?(id|key|item|evaluated)",
  ].join("|"),
  "i",
);

/** Whether a member that has a value is named as what tells of pages is. */
export function speaksOfPages(node: JsonObject, deep = GROUPS_DEEP): boolean {
  return Object.keys(node).some((name) => {
    const value = node[name];
    if (PAGE_WORDS.test(name) && value !== null && value !== false) return true;
    return deep > 1 && isObject(value) && speaksOfPages(value, deep - 1);
  });
}

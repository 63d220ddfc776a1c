/** A list is read to its end or to what was looked for, and never for ever. */

import { describe, expect, it } from "vitest";
import { listedWorkers } from "../../../contract/answers/listed-workers.ts";
import { areWholeList, readPages } from "../../../contract/answers/read-pages.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";

function answer(body: unknown, changes: Partial<Exchange> = {}): Exchange {
  return {
    method: "GET",
    route: "workers",
    path: "/v1/workers",
    key: "free",
    requestBody: null,
    status: 200,
    headers: {},
    body: JSON.stringify(body),
    error: null,
    sentAtMs: 0,
    receivedAtMs: 1,
    ...changes,
  };
}

/** What a service was asked while all its pages were read. */
async function askedOf(
  serve: (query: string, count: number) => Exchange | null,
  onShort: (why: string) => void = () => {},
) {
  const asked: string[] = [];
  const ask = (query: string) => {
    asked.push(query);
    return Promise.resolve(serve(query, asked.length));
  };
  await readPages({ ask, isEnough: () => false, onShort });
  return asked;
}

const workers = (...ids: string[]) => ids.map((worker_id) => ({ worker_id }));

describe("readPages", () => {
  it("ends at the last page", async () => {
    const pages = [workers("a", "b"), workers("c", "d"), workers("e")];
    const asked = await askedOf((_, count) =>
      answer({ workers: pages[count - 1], page: count, total: 5 }),
    );
    expect(asked).toEqual(["", "page=2", "page=3"]);
  });

  it("ends where a next page is one that was asked for", async () => {
    const asked = await askedOf((_, count) =>
      answer({ workers: workers(`w${count}`), next: "/v1/workers?page=2" }),
    );
    expect(asked).toEqual(["", "page=2"]);
  });

  it("ends where the same entries come again under another page's name", async () => {
    const asked = await askedOf((_, count) =>
      answer({ workers: workers("a"), next_cursor: `cursor-${count}`, request: count }),
    );
    expect(asked).toEqual(["", "cursor=cursor-1"]);
  });

  it("ends after 100 pages of a list without end, and says so", async () => {
    const why: string[] = [];
    const asked = await askedOf(
      (_, count) => answer({ workers: workers(`w${count}`), next_cursor: String(count) }),
      (short) => why.push(short),
    );
    expect(asked.length).toBe(100);
    expect(why).toEqual(["it goes on after 100 requests"]);
  });

  it("ends at the second empty page in a row", async () => {
    const why: string[] = [];
    const asked = await askedOf(
      (_, count) => answer({ workers: [], next_cursor: String(count) }),
      (short) => why.push(short),
    );
    expect(asked).toEqual(["", "cursor=1"]);
    expect(why).toEqual(["empty pages came after 2 requests"]);
  });

  it.each([
    ["total and limit", (from: number) => ({ total: 1000, limit: 4, from }), "offset"],
    ["page and per_page", (from: number) => ({ page: from / 4 + 1, per_page: 4 }), "page"],
    ["has_more", (from: number) => ({ has_more: from + 4 < 1000 }), "page"],
    ["next", (from: number) => ({ next: from / 4 + 2 }), "page"],
    ["next_offset", (from: number) => ({ next_offset: from + 4 }), "offset"],
  ])("finds worker 250 of 1000 by %s", async (_what, more, parameter) => {
    const ask = async (query: string) => {
      const given = Number(new URLSearchParams(query).get(parameter) ?? Number.NaN);
      const from = Number.isNaN(given) ? 0 : parameter === "page" ? (given - 1) * 4 : given;
      const ids = Array.from({ length: 4 }, (_, at) => `w${from + at + 1}`);
      return answer({ workers: workers(...ids), ...more(from) });
    };
    const entries = await listedWorkers(ask, ["w250"]);
    expect(entries.at(-1)?.id).toBe("w252");
  });

  it("ends after 8 MiB of pages", async () => {
    const asked = await askedOf((_, count) =>
      answer({ workers: workers(`${count}${"x".repeat(3 * 1024 * 1024)}`), next_page: count }),
    );
    expect(asked.length).toBe(3);
  });

  it.each([
    ["a refusal", answer({ next: "?page=3" }, { status: 429 })],
    ["no answer", answer({}, { status: 0, body: "", error: "reset" })],
    ["nothing that may be asked for", null],
    ["a bare array", answer(["a"])],
    ["no JSON", answer(null, { body: "<html>" })],
  ])("ends with %s", async (_what, second) => {
    const first = answer({ workers: workers("a"), next: "?page=2" });
    const asked = await askedOf((query) => (query === "" ? first : second));
    expect(asked).toEqual(["", "page=2"]);
  });
});

describe("areWholeList", () => {
  it.each([
    [{ jobs: ["a"] }, true],
    [{ jobs: [], limit: 100 }, true],
    [{ jobs: ["a"], limit: 100 }, true],
    [{ jobs: ["a"], limit: 1 }, false],
    [{ jobs: ["a"], limit: 1, count: 1 }, false],
    [{ jobs: ["a"], count: 1 }, true],
    [{ jobs: ["a"], count: 7 }, false],
    [{ jobs: [], count: 7 }, false],
    [{ jobs: ["a"], total: 1 }, true],
    [{ jobs: ["a"], total: 5000 }, false],
    [{ jobs: ["a"], total_jobs: 1 }, true],
    [{ jobs: ["a"], count: 1, meta: { total: 5000 } }, false],
    [{ jobs: ["a"], page: 1, page_count: 1 }, true],
    [{ jobs: ["a"], page: 1, page_count: 2 }, false],
    [{ jobs: ["a"], has_more: true }, false],
  ])("%j: %s", (body, isWhole) => {
    const looksPaginated = Object.keys(body).length > 1;
    expect(areWholeList([answer(body)], looksPaginated)).toBe(isWhole);
  });
});

describe("listedWorkers", () => {
  it("reads on until the last of the wanted workers is found", async () => {
    const asked: string[] = [];
    const entries = await listedWorkers(
      (query) => {
        asked.push(query);
        const page = asked.length;
        return Promise.resolve(answer({ workers: workers(`w${page}`), page, total: 9 }));
      },
      ["w3", "w2"],
    );
    expect(entries.map(({ id }) => id)).toEqual(["w1", "w2", "w3"]);
    expect(asked.length).toBe(3);
  });
});

/** A list is read to its end or to what was looked for, and never for ever. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../contract/exchange.ts";
import { listedWorkers } from "../../contract/listed-workers.ts";
import { readPages } from "../../contract/read-pages.ts";

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
async function askedOf(serve: (query: string, count: number) => Exchange | null) {
  const asked: string[] = [];
  const ask = (query: string) => {
    asked.push(query);
    return Promise.resolve(serve(query, asked.length));
  };
  await readPages({ ask, isEnough: () => false });
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

  it("ends after 50 pages of a list without end", async () => {
    const asked = await askedOf((_, count) =>
      answer({ workers: workers(`w${count}`), next_cursor: String(count) }),
    );
    expect(asked.length).toBe(50);
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

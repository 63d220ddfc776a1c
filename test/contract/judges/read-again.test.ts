/** Endpoints that are read again when all else is done. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../contract/exchange.ts";
import { judgeReadAgain, tellingReads } from "../../../contract/judges/read-again.ts";
import type { RouteName } from "../../../contract/routes.ts";
import { answer, at, withJson } from "./answers.ts";

const row = (route: RouteName, status: number, body = "{}") =>
  tellingReads(Array.from({ length: 10 }, (_, n) => answer(status, { ...at(n), route, body })));

const names = (...rows: readonly (readonly Exchange[])[]) =>
  judgeReadAgain(rows).map(({ promise, verdict }) => `${promise} ${verdict}`);

describe("what is read again at the end", () => {
  const list = row("workers", 200, '{"workers":[]}');
  it.each([
    ["well", [list, row("credits", 200)], []],
    ["and is no JSON", [list, row("credits", 200, "<html>")], ["account.readable broken"]],
    ["and fails each time", [list, row("deployments", 500)], ["account.readable broken"]],
    ["and fails as all do", [row("workers", 500), row("deployments", 500)], []],
    ["and is forbidden", [list, row("deployments", 403)], ["account.readable broken"]],
    ["and the key is taken nowhere", [row("credits", 401), row("deployments", 401)], []],
    ["and the key is taken elsewhere", [list, row("credits", 401)], ["account.readable broken"]],
    ["and is limited", [list, row("credits", 429)], []],
    [
      "and is another list",
      [row("workers", 200, "[]"), row("credits", 200)],
      ["workers.list-shape broken"],
    ],
    ["and is no detail", [list, row("worker", 200, "{}")], ["workers.detail-shape broken"]],
  ])("%s: %#", (_, rows, found) => {
    expect(names(...rows)).toEqual(found);
  });

  it("is kept once where it is the same", () => {
    expect(list).toHaveLength(1);
    const mixed = [500, 200, 500].map((status) => withJson(status, {}));
    expect(tellingReads(mixed).map(({ status }) => status)).toEqual([200]);
  });
});

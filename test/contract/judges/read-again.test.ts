/** Endpoints that are read again when all else is done. */

import { describe, expect, it } from "vitest";
import type { Asked } from "../../../contract/judges/expected-status.ts";
import { awayBetween, judgeReadAgain, tellingReads } from "../../../contract/judges/read-again.ts";
import type { RouteName } from "../../../contract/requests/routes.ts";
import { answer, withJson } from "./answers.ts";

const read = (route: RouteName, status: number, body = "{}"): Asked => {
  return { attempts: [answer(status, { route, body })] };
};
const beside = (status: number, asked: Asked): Asked => ({ ...asked, meanwhile: answer(status) });
const failing = (route: RouteName): Asked => {
  return { attempts: [500, 500, 500, 500].map((status) => answer(status, { route })) };
};

describe("what is read again at the end", () => {
  const list = read("workers", 200, '{"workers":[]}');
  it.each([
    ["well", [list, read("credits", 200)], []],
    ["and is no JSON", [list, read("credits", 200, "<html>")], ["account.readable broken"]],
    ["and fails each time", [beside(200, failing("deployments"))], ["account.readable broken"]],
    ["and fails as all do", [failing("workers"), beside(500, failing("deployments"))], []],
    ["and is forbidden", [list, read("deployments", 403)], ["account.readable broken"]],
    ["and the key is taken nowhere", [beside(401, read("credits", 401))], []],
    ["and it alone is refused", [beside(200, read("credits", 401))], ["account.readable broken"]],
    ["and is limited", [list, read("credits", 429)], []],
    ["and is another list", [read("workers", 200, "[]")], ["workers.list-shape broken"]],
    ["and is no detail", [list, read("worker", 200, "{}")], ["workers.detail-shape broken"]],
  ])("%s: %#", (_, reads, found) => {
    const findings = judgeReadAgain(reads);
    expect(findings.map(({ promise, verdict }) => `${promise} ${verdict}`)).toEqual(found);
  });

  it.each([
    ["there, gone and there again", [404, 200, 200, 404, 200, 404], [200, 404, 200]],
    ["deleted", [200, 410, 410], undefined],
    ["shown later", [404, 404, 200, 200], undefined],
    ["away with the service", [200, 503, 200], undefined],
  ])("tells of a worker that is %s", (_, statuses, told) => {
    const reads = statuses.map((status, at) => {
      const times = { sentAtMs: 100 * at, receivedAtMs: 100 * at + 10 };
      return answer(status, { route: "worker", body: "{}", ...times });
    });
    const attempts = awayBetween(reads);
    expect(attempts?.map(({ status }) => status)).toEqual(told);
    const promises = judgeReadAgain(attempts === null ? [] : [{ attempts }]);
    const isBroken = promises.some(({ promise }) => promise === "workers.publish");
    expect(isBroken).toBe(told !== undefined);
  });

  it("is kept once where it is the same", () => {
    const told = (...statuses: number[]) =>
      tellingReads(statuses.map((status) => withJson(status, {})))?.map(({ status }) => status);
    expect(told(200, 200)).toEqual([200]);
    expect(told(500, 200, 500)).toEqual([200]);
    expect(told(500, 503)).toBeUndefined();
  });
});

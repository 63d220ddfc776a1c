/** Lists are held against the jobs of all runs of a gate, account by account. */

import { expect, it } from "vitest";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { listedAcross } from "../../gate/listed-across.ts";
import { answer } from "../contract/judges/answers.ts";
import { KEYS_OF_TWO, shownRun as run } from "./recorded-run.ts";

const AT_MS = Date.UTC(2026, 0, 1, 12);
const job = (id: string, atMs = AT_MS) => {
  return { job_uuid: id, status: "queued", created_at: new Date(atMs).toISOString() };
};

function submission(by: string, id: string): Exchange {
  const body = JSON.stringify({ ...job(id), worker: "w" });
  return { ...answer(202, { route: "submit", body, sentAtMs: AT_MS }), key: by };
}

function list(by: string, ...jobs: readonly object[]): Exchange {
  return { ...answer(200, { route: "jobs", body: JSON.stringify({ jobs }) }), key: by };
}

const webhook = run("webhook", submission("right", "job_1"), submission("undeclared", "job_2"));

it.each([
  ["another account's job of another run", list("left", job("job_1")), ["broken"]],
  ["the own account's", list("right", job("job_1")), []],
  ["that of a key that may be of the same account", list("left", job("job_2")), []],
  ["a job of the same number of long ago", list("left", job("job_1", AT_MS - 60_000)), []],
  ["to a key that may be of the other account", list("undeclared", job("job_1")), []],
] as const)("a list that shows %s", (_, seen, verdicts) => {
  const findings = listedAcross([run("contract", seen), webhook], KEYS_OF_TWO);
  expect(findings.map(({ verdict }) => verdict)).toEqual(verdicts);
});

it("a number that both accounts were issued is each one's own", () => {
  const contract = run("contract", submission("left-too", "job_1"), list("left", job("job_1")));
  expect(listedAcross([contract, webhook], KEYS_OF_TWO)).toEqual([]);
});

it("tells the keys and the job", () => {
  const [finding] = listedAcross(
    [run("contract", list("left", job("job_1"))), webhook],
    KEYS_OF_TWO,
  );
  expect(finding?.summary).toBe(
    "left lists job job_1, which right of another account submitted; promised the caller's own",
  );
  expect(finding?.evidence).toMatchObject({ faults: 1, jobs: ["job_1"] });
});

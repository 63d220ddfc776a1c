/** What anybody may have sent who learnt the URL speaks of its signature, and of nothing else. */

import { describe, expect, it } from "vitest";
import type { Delivery, SignatureState } from "../../../../contract/jobs/delivery.ts";
import { judgeWebhooks } from "../../../../contract/judges/webhook/index.ts";
import { promisesWith } from "../../findings.ts";
import type { CaseChange } from "./healthy-run.ts";
import { caseOf, doubts, HEALTHY, runWith, webhookFinding } from "./healthy-run.ts";

/** A healthy run, and one job at whose URL a stranger has posted. */
function beside(arrivedMs: readonly number[], change: CaseChange, signatureScheme = "hmac-sha256") {
  const first = () => [...HEALTHY.first(), caseOf("first", arrivedMs, change)];
  return runWith({ first }, { signatureScheme });
}

const forged = (signature: SignatureState, only: (delivery: Delivery) => boolean = () => true) => ({
  delivery: (delivery: Delivery) => (only(delivery) ? { signature } : {}),
});
const again = ({ attempt }: Delivery) => attempt === 2;
const lies = { body: () => ({ job_uuid: "another", status: "failed" }) };

describe.each(["absent", "invalid"] as const)("a delivery whose signature is %s", (signature) => {
  it.each([
    ["that comes after the true one", [0, 3_000], forged(signature, again)],
    ["that comes before the end", [-900], { ...forged(signature), endedMs: 60_000 }],
    ["that lies", [0], { ...forged(signature), ...lies }],
    ["where the service itself sent nothing", [0], forged(signature)],
  ])("%s breaks webhook.signed alone", (_, arrivedMs, change) => {
    expect(doubts(beside(arrivedMs, change))).toEqual({ "webhook.signed": "broken" });
  });

  it("takes a step of the script, and is no late answer that counted", () => {
    const taken = forged(signature, ({ attempt }) => attempt === 1);
    const late = () => [caseOf("too-late", [0, 20], taken), ...HEALTHY["too-late"]()];
    expect(doubts(runWith({ "too-late": late }))).toEqual({ "webhook.signed": "broken" });
  });

  it("proves no delivery of the only job", () => {
    const only = { ...runWith(), cases: [caseOf("first", [0], forged(signature))] };
    const finding = webhookFinding("webhook.delivered", only);
    expect(finding.verdict).toBe("unobserved");
    expect(finding.summary).toMatch(/^1 of 1 jobs do not count.*see webhook\.signed/);
  });

  it("counts like any other where nothing is checked", () => {
    expect(doubts(beside([0, 3_000], forged(signature, again), "present"))).toMatchObject({
      "webhook.once": "broken",
    });
  });
});

describe("two jobs that are told of at one address, as of a submission that started two", () => {
  const twin = (body: Record<string, unknown>, attempt: number) =>
    attempt === 2 ? { ...body, job_uuid: "job_twin" } : body;
  it.each([
    ["at once", [0, 40], {}],
    ["before the other's end", [-900, 0], { endedMs: 60_000 }],
  ] as const)("%s break webhook.truthful alone", (_, arrivedMs, change) => {
    const first = () => [...HEALTHY.first(), caseOf("first", arrivedMs, { ...change, body: twin })];
    expect(doubts(runWith({ first }))).toEqual({ "webhook.truthful": "broken" });
  });

  it("are why nothing is told of their attempts", () => {
    const cases = [caseOf("ladder", [0, 5_002, 35_004, 335_006], { body: twin })];
    const alone = { ...runWith(), cases };
    for (const id of ["webhook.retried", "webhook.once", "webhook.gives-up"] as const) {
      expect(webhookFinding(id, alone)).toMatchObject({
        verdict: "unobserved",
        summary: expect.stringMatching(/^1 job does not count, .*see webhook\.truthful\): /),
      });
    }
  });
});

const IN_SERIES = [0, 5_002, 35_004, 335_006];
const nth = (forgedAttempt: number) => {
  return forged("absent", ({ attempt }) => attempt === forgedAttempt);
};

describe("a forged delivery", () => {
  it("at each job after the last one that was due silences no promise", () => {
    const run = runWith();
    const cases = run.cases.map((each) => {
      const last = each.deliveries.at(-1);
      if (last === undefined) throw new Error("a healthy job without a delivery");
      const arrivedAtMs = last.arrivedAtMs + 60_000;
      const stranger = { ...last, ...{ attempt: last.attempt + 1, signature: "absent" as const } };
      const deliveries = [...each.deliveries, { ...stranger, arrivedAtMs, body: "{}" }];
      return { ...each, deliveries, lagsMs: [...each.lagsMs, 0] };
    });
    expect(doubts({ ...run, cases })).toEqual({ "webhook.signed": "broken" });
  });

  it("between two vouched ones hides no repetition", () => {
    const first = () => [caseOf("first", [0, 3_000, 5_000], nth(2))];
    expect(doubts(runWith({ first }))).toMatchObject({
      ...{ "webhook.signed": "broken", "webhook.once": "broken" },
    });
  });

  it.each([
    ["amid its attempts", [0, 3_000, 5_002, 35_004, 335_006], nth(2)],
    ["in the place of its last attempt, which may be the service's own", IN_SERIES, nth(4)],
  ])("%s makes a job say nothing of retries", (_, arrivedMs, change) => {
    const schedule = () => [...HEALTHY.ladder(), caseOf("ladder", arrivedMs, change)];
    expect(doubts(runWith({ ladder: schedule }))).toEqual({ "webhook.signed": "broken" });
    const alone = { ...runWith(), cases: [caseOf("ladder", arrivedMs, change)] };
    expect(webhookFinding("webhook.retried", alone).summary).toMatch(/^1 of 1 jobs do not count/);
  });
});

describe("a delivery that was cut, whose signature can't be checked", () => {
  const cut = (only: (delivery: Delivery) => boolean = () => true) => ({
    delivery: (delivery: Delivery) =>
      only(delivery) ? { signature: "present" as const, truncated: true } : {},
  });

  it.each([
    ["no repetition", [0, 3_000], cut(again)],
    ["no delivery before the end", [-900], { ...cut(), endedMs: 60_000 }],
  ])("is %s", (_, arrivedMs, change) => {
    expect(doubts(beside(arrivedMs, change))).toEqual({});
  });

  it("proves no delivery of the only job", () => {
    const only = { ...runWith(), cases: [caseOf("first", [0], cut())] };
    const finding = webhookFinding("webhook.delivered", only);
    expect([finding.verdict, finding.summary]).toEqual([
      "unobserved",
      expect.stringMatching(/^1 of 1 jobs do not count.*see webhook\.signed/),
    ]);
  });
});

it("hides no broken promise of the jobs that it has not touched", () => {
  const twice = () => [...HEALTHY.first(), caseOf("first", [0, 3_000]), caseOf("first", [0])];
  const run = runWith({ first: twice, ladder: () => [caseOf("ladder", [0], forged("absent"))] });
  expect(doubts(run)).toMatchObject({ "webhook.signed": "broken", "webhook.once": "broken" });
});

it("tells a service that signs all wrongly so, and withholds the rest with the reason", () => {
  const run = runWith();
  const wrong = run.cases.map((each) => ({
    ...each,
    deliveries: each.deliveries.map((delivery) => ({ ...delivery, signature: "invalid" as const })),
  }));
  const findings = judgeWebhooks({ ...run, cases: wrong });
  expect(promisesWith(findings, "broken")).toEqual(["webhook.signed"]);
  for (const { promise, verdict, reason } of findings) {
    if (promise === "webhook.signed") continue;
    expect([promise, verdict]).toEqual([
      promise,
      promise === "webhook.only-asked" ? "inconclusive" : "unobserved",
    ]);
    expect(reason).toMatch(/do not count, by their signatures/);
  }
});

/** What anybody may have sent who learnt the URL speaks of its signature, and of nothing else. */

import { describe, expect, it } from "vitest";
import type { Delivery, SignatureState } from "../../../../contract/delivery.ts";
import { judgeWebhooks } from "../../../../contract/judges/webhook/index.ts";
import type { CaseChange } from "./healthy-run.ts";
import { caseOf, doubts, findingOf, HEALTHY, runWith } from "./healthy-run.ts";

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
    const finding = findingOf("webhook.delivered", only);
    expect(finding.verdict).toBe("unobserved");
    expect(finding.summary).toMatch(/^1 of 1 jobs say nothing.*see webhook\.signed/);
  });

  it("counts like any other where nothing is checked", () => {
    expect(doubts(beside([0, 3_000], forged(signature, again), "present"))).toMatchObject({
      "webhook.once": "broken",
    });
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
  const broken = findings.filter(({ verdict }) => verdict === "broken");
  expect(broken.map(({ promise }) => promise)).toEqual(["webhook.signed"]);
  for (const { promise, verdict, reason } of findings) {
    if (promise === "webhook.signed") continue;
    expect([promise, verdict]).toEqual([
      promise,
      promise === "webhook.only-asked" ? "inconclusive" : "unobserved",
    ]);
    expect(reason).toMatch(/say nothing, as some of their deliveries have no signature that fits/);
  }
});

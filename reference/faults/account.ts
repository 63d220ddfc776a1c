/** Faults of the account promise: an endpoint that can't be read, or not as JSON. */

import type { RouteName } from "../../contract/requests/routes.ts";
import type { Hooks } from "../hooks.ts";
import type { Answer } from "../http.ts";
import { all, answering, at, onAnswer, withStatus } from "./answers.ts";
import { type Fault, type FaultScene, faultsOf, sometimes } from "./fault.ts";

const served = (route: RouteName, bend: (answer: Answer) => Answer) => () =>
  onAnswer(at(route, "served"), bend);

/** As while an instance loads its keys. */
const unknownWhile = (isTime: () => boolean): Partial<Hooks> => ({
  authenticate: (outcome) =>
    outcome.key !== null && isTime() ? { key: null, refusal: "invalid-key" } : outcome,
});

/** For 0.7 s in each 25 s; of those requests the ones hit. */
const unknownAtTimes =
  (isHit: () => boolean) =>
  ({ clock }: FaultScene): Partial<Hooks> =>
    unknownWhile(() => Math.abs((clock.nowMs() % 25_000) - 3_000) < 350 && isHit());

/** For 0.7 s each, 20, 70 and 110 s after the start. */
const unknownEarly = ({ clock }: FaultScene): Partial<Hooks> => {
  const startMs = clock.nowMs();
  return unknownWhile(() =>
    [20_000, 70_000, 110_000].some((ms) => Math.abs(clock.nowMs() - startMs - ms) < 350),
  );
};

/** For so long in each half minute. */
const awayAtTimes =
  (route: RouteName, awayMs: number) =>
  ({ clock }: FaultScene): Partial<Hooks> =>
    onAnswer(
      all(at(route, "served"), () => clock.nowMs() % 30_000 < awayMs),
      withStatus(500),
    );

const UNKNOWN_AT_TIMES = {
  seenWith: ["load.errors", "webhook.delivered", "timeout.fires", "rate.sustained"],
  companions: ["load.errors"],
} as const;

export const ACCOUNT_FAULTS: readonly Fault[] = [
  ...faultsOf("account.readable", {
    "credits-404": ["The credits are not found", served("credits", withStatus(404))],
    "deployments-403": ["Deployments are forbidden", served("deployments", withStatus(403))],
    "me-html": [
      "The account is answered with an HTML page",
      served("me", (answer) => ({
        status: answer.status,
        headers: { "content-type": "text/html" },
        body: undefined,
        text: "<!doctype html><title>Account</title>\n",
      })),
    ],
    "credits-cut-off": [
      "The credits' JSON ends too soon",
      served("credits", (answer) => ({
        ...answer,
        text: JSON.stringify(answer.body).slice(0, -9),
      })),
    ],
    "free-plan-404": [
      "The credits of the free plan are not found",
      answering(
        all(at("credits", "served"), ({ key }) => key?.plan === "free"),
        404,
      ),
    ],
    "deployments-500": ["Deployments are answered 500", served("deployments", withStatus(500))],
    "another-accounts-1-in-50": [
      "1 answer in 50 to GET /v1/me tells of another account",
      ({ random }) => {
        const latest = new Map<string, Answer>();
        return onAnswer(at("me", "served"), (answer, { key }) => {
          const account = key?.account ?? "";
          latest.set(account, answer);
          const others = [...latest].filter(([each]) => each !== account);
          const [, other = answer] = others[Math.floor(random() * others.length)] ?? [];
          return random() < 1 / 50 ? other : answer;
        });
      },
      { seenWith: ["rate.burst"] },
    ],
    "unknown-for-700-ms-in-25-s": [
      "For 0.7 s in each 25 s, requests with valid keys get 401",
      unknownAtTimes(() => true),
      UNKNOWN_AT_TIMES,
    ],
    "half-unknown-for-700-ms-in-25-s": [
      "For 0.7 s in each 25 s, 1 request in 2 with a valid key gets 401",
      sometimes(2, (isHit, scene) => unknownAtTimes(isHit)(scene)),
      UNKNOWN_AT_TIMES,
    ],
    "unknown-three-times": [
      "For 0.7 s, three times in the first two minutes, requests with valid keys get 401",
      unknownEarly,
      {
        seenWith: [
          "rate.sustained",
          "rate.within-plan",
          "rate.all-endpoints",
          "rate.retry-after-sufficient",
          "rate.per-key",
          "timeout.fires",
          "webhook.delivered",
          "load.errors",
        ],
      },
    ],
    "of-busy-accounts-another": [
      "To accounts with 20 jobs, 1 answer in 4 to GET /v1/me tells of another account",
      ({ random }) => {
        const [jobs, latest] = [new Map<string, number>(), new Map<string, Answer>()];
        return {
          answer(answer, context) {
            const account = context.key?.account ?? "";
            const { reason } = context;
            if (reason === "accepted") jobs.set(account, (jobs.get(account) ?? 0) + 1);
            if (!at("me", "served")(context)) return answer;
            const others = [...latest].filter(([each]) => each !== account);
            latest.set(account, answer);
            const [, other = answer] = others[Math.floor(random() * others.length)] ?? [];
            return (jobs.get(account) ?? 0) >= 20 && random() < 1 / 4 ? other : answer;
          },
        };
      },
      { seenWith: ["load.accounting"] },
    ],
    "credits-500-for-4-s-in-30-s": [
      "For 4 s in each 30 s the credits are answered 500",
      awayAtTimes("credits", 4_000),
      { seenWith: ["load.accounting"] },
    ],
    "deployments-empty-body": [
      "Deployments are 200 without a body",
      served("deployments", (answer) => ({ ...answer, body: undefined })),
    ],
  }),
];

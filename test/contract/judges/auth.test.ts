/** What strangers are answered. Spec §5.2: 401. Spec §7: error, message, status. */

import { describe, expect, it } from "vitest";
import {
  isHeldOffIn,
  judgeAuthErrorBody,
  judgeEveryEndpoint,
  judgeWrongKey,
} from "../../../contract/judges/auth.ts";
import type { StatusCase } from "../../../contract/judges/expected-status.ts";
import { judgeStatus } from "../../../contract/judges/expected-status.ts";
import type { RouteName } from "../../../contract/requests/routes.ts";
import { answer, asked, at, withJson } from "./answers.ts";

const UNAUTHORIZED = { error: "unauthorized", message: "No valid key.", status: 401 };

describe("requests with no, an unknown or a revoked key", () => {
  const promises = ["auth.missing-key", "auth.invalid-key", "auth.revoked-key"] as const;
  const rows = [
    ["401 keeps", [401], "kept"],
    ["200 breaks", [200], "broken"],
    ["403 breaks", [403], "broken"],
    ["404 breaks", [404], "broken"],
    ["a redirect breaks", [302], "broken"],
    ["no answer tells nothing", [0], "inconclusive"],
    ["a 500 that is followed by a 401 keeps", [500, 401], "kept"],
    ["a 503 that stays may be an outage", [503, 503, 503], "inconclusive"],
    ["a 429 tells nothing of", [429], "inconclusive"],
  ] as const;
  for (const promise of promises) {
    const judge = (cases: readonly StatusCase[]) =>
      promise === "auth.missing-key"
        ? judgeStatus(promise, cases)
        : judgeWrongKey(promise, cases, []);
    it.each(rows)(`%s ${promise}`, (_name, statuses, verdict) => {
      const attempts = statuses.map((status) => answer(status));
      expect(judge([asked("me", ...attempts)])).toMatchObject({ promise, verdict });
    });
    it.each([
      ["answers", 200, "broken"],
      ["is out as well", 503, "inconclusive"],
    ] as const)(`a 503 that stays while another endpoint %s: ${promise}`, (_, status, verdict) => {
      const meanwhile = answer(status, { route: "workers" });
      const attempts = [503, 503, 503].map((each) => answer(each));
      expect(judge([{ ...asked("me", ...attempts), meanwhile }]).verdict).toBe(verdict);
    });
    it(`${promise} is unobserved without a request`, () => {
      expect(judge([]).verdict).toBe("unobserved");
    });
  }

  it("one wrong answer among right ones breaks auth.revoked-key", () => {
    const cases = [asked("me", answer(401)), asked("jobs", answer(200))];
    expect(judgeWrongKey("auth.revoked-key", cases, [])).toMatchObject({
      verdict: "broken",
      summary: "1 of 2 requests: jobs got 200; promised 401",
    });
  });
});

describe("unknown and revoked keys at the other endpoints", () => {
  const me = asked("me", answer(401));
  const answered = (route: RouteName, ...statuses: readonly number[]) =>
    asked(route, ...statuses.map((status) => answer(status, { route })));

  it.each([
    ["401 everywhere", [answered("jobs", 401), answered("submit", 401)], "kept"],
    ["an endpoint that serves", [answered("credits", 401), answered("jobs", 200)], "broken"],
    ["a submission that is accepted", [answered("submit", 202)], "broken"],
    ["403 at one endpoint only", [answered("deployments", 403)], "broken"],
    ["404 for an id that nobody has", [answered("jobs", 401), answered("publish", 404)], "kept"],
    ["422 before the key is looked at", [answered("submit", 422)], "kept"],
    ["501 for what it has not got", [answered("job", 501, 501, 501)], "kept"],
    ["no answer, but from the account", [answered("jobs", 0)], "kept"],
    ["a 429, but from the account", [answered("jobs", 429)], "kept"],
    ["a 500 that is followed by a 401", [answered("jobs", 500, 401)], "kept"],
  ])("%s: %#", (_, endpoints, verdict) => {
    expect(judgeWrongKey("auth.invalid-key", [me], endpoints).verdict).toBe(verdict);
    expect(judgeWrongKey("auth.revoked-key", [me], endpoints).verdict).toBe(verdict);
  });

  it("leave what the account answers as it is", () => {
    const elsewhere = [answered("jobs", 401)];
    for (const status of [200, 403, 404]) {
      const cases = [asked("me", answer(status))];
      expect(judgeWrongKey("auth.invalid-key", cases, elsewhere)).toEqual(
        judgeWrongKey("auth.invalid-key", cases, []),
      );
      expect(judgeWrongKey("auth.revoked-key", cases, elsewhere)).toEqual(
        judgeWrongKey("auth.revoked-key", cases, []),
      );
    }
    const silent = [asked("me", answer(0))];
    expect(judgeWrongKey("auth.invalid-key", silent, elsewhere).verdict).toBe("inconclusive");
    expect(judgeWrongKey("auth.revoked-key", [], []).verdict).toBe("unobserved");
  });
});

describe("auth.error-body", () => {
  it.each([
    ["the three fields", UNAUTHORIZED, "kept"],
    ["further fields", { ...UNAUTHORIZED, request_id: "r" }, "kept"],
    ["an empty message", { ...UNAUTHORIZED, message: "" }, "kept"],
    ["a message that is null", { ...UNAUTHORIZED, message: null }, "broken"],
    ["status as text", { ...UNAUTHORIZED, status: "401" }, "broken"],
    ["another status", { ...UNAUTHORIZED, status: 403 }, "broken"],
    ["no message", { error: "unauthorized", status: 401 }, "broken"],
    ["error as object", { ...UNAUTHORIZED, error: {} }, "broken"],
    ["an array", [UNAUTHORIZED], "broken"],
  ])("a body with %s: %s", (_name, body, verdict) => {
    expect(judgeAuthErrorBody([withJson(401, body)]).verdict).toBe(verdict);
  });

  it("a body that is not JSON breaks it", () => {
    expect(judgeAuthErrorBody([answer(401, { body: "unauthorized" })]).verdict).toBe("broken");
  });

  it("only 401s are read", () => {
    const finding = judgeAuthErrorBody([answer(403), withJson(401, UNAUTHORIZED)]);
    expect(finding).toMatchObject({ verdict: "kept", evidence: { samples: 1 } });
  });

  it("without a 401 it is inconclusive", () => {
    expect(judgeAuthErrorBody([answer(403)]).verdict).toBe("inconclusive");
  });
});

describe("whoever came with many unknown keys", () => {
  const ROUTES = ["me", "jobs", "credits"] as const;
  const sent = (status: number, ms: number) =>
    asked("it", answer(status, { route: ROUTES[ms % ROUTES.length] ?? "me", ...at(ms * 100) }));
  const series = (...parts: readonly [status: number, times: number][]) =>
    parts
      .flatMap(([status, times]) => Array.from({ length: times }, () => status))
      .map((status, ms) => sent(status, ms));

  it.each([
    [
      "barred, as none is answered 401 any more",
      [
        [401, 12],
        [403, 12],
      ],
      12,
    ],
    [
      "told to wait",
      [
        [401, 12],
        [429, 3],
        [401, 1],
      ],
      3,
    ],
    [
      "told to wait before long",
      [
        [401, 3],
        [429, 3],
      ],
      0,
    ],
    [
      "refused so now and then",
      [
        [401, 12],
        [403, 12],
        [401, 1],
      ],
      0,
    ],
    [
      "refused so before long",
      [
        [401, 3],
        [403, 12],
      ],
      0,
    ],
    [
      "refused so a few times",
      [
        [401, 12],
        [403, 3],
      ],
      0,
    ],
    [
      "refused so, and let in",
      [
        [401, 12],
        [403, 12],
        [200, 1],
      ],
      0,
    ],
  ] as const)("is %s", (_, parts, barred) => {
    const cases = series(...parts.map(([status, times]) => [status, times] as [number, number]));
    expect(cases.filter(isHeldOffIn(cases))).toHaveLength(barred);
  });

  it("is not barred by one endpoint", () => {
    const cases = [
      ...Array.from({ length: 12 }, (_, ms) => asked("it", answer(401, at(ms * 100)))),
      ...Array.from({ length: 12 }, (_, ms) => asked("it", answer(403, at(5_000 + ms)))),
    ];
    expect(cases.some(isHeldOffIn(cases))).toBe(false);
  });
});

describe("auth.every-endpoint", () => {
  const endpoint = (route: RouteName, status: number) => asked(route, answer(status, { route }));
  const me = endpoint("me", 401);

  it.each([
    ["401 everywhere", [me, endpoint("jobs", 401)], "kept"],
    ["an endpoint that serves", [me, endpoint("jobs", 200)], "broken"],
    ["a submission that is accepted", [me, endpoint("submit", 202)], "broken"],
    ["403 at one endpoint only", [me, endpoint("jobs", 403)], "broken"],
    ["404 for an id that nobody has", [me, endpoint("publish", 404)], "inconclusive"],
    ["422 before the key is looked at", [me, endpoint("submit", 422)], "inconclusive"],
    ["501 for what it has not got", [me, endpoint("publish", 501)], "inconclusive"],
    ["no answer", [me, endpoint("jobs", 0)], "inconclusive"],
    [
      "403 everywhere, which is auth.missing-key's",
      [endpoint("me", 403), endpoint("jobs", 403)],
      "kept",
    ],
    ["200 everywhere", [endpoint("me", 200), endpoint("jobs", 200)], "broken"],
    ["nothing asked", [], "unobserved"],
  ])("%s: %#", (_name, cases, verdict) => {
    expect(judgeEveryEndpoint(cases).verdict).toBe(verdict);
  });
});

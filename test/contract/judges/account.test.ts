/** What keys whose limits are measured are answered by the account endpoint. Spec §4.8, §5.2. */

import { describe, expect, it } from "vitest";
import { judgeAccountOfKeys, judgeRefusedKeys } from "../../../contract/judges/account.ts";
import { judgeAccountNamed } from "../../../contract/judges/account-named.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { answer, at, withJson } from "./answers.ts";

/** Of a key that asks ten times a second, those that are refused. */
function shots(statusAt: (index: number) => number): readonly Exchange[] {
  return Array.from({ length: 200 }, (_, index) => answer(statusAt(index), at(100 * index)));
}

const unauthorizedAt = (...indexes: number[]) =>
  shots((index) => (indexes.includes(index) ? 401 : 200));

function verdicts(withinPlan: readonly Exchange[], beyond: readonly Exchange[] = []) {
  const exchanges = [...withinPlan, ...beyond];
  return judgeAccountOfKeys([{ key: "free-a", exchanges, withinPlan }]).map(
    ({ verdict }) => verdict,
  );
}

describe("a key that is served, and now and then refused as none", () => {
  it.each([
    ["three times, far apart", unauthorizedAt(20, 90, 150), ["broken"]],
    ["twice", unauthorizedAt(20, 150), []],
    ["three times within 3 s, as in an outage", unauthorizedAt(20, 30, 49), []],
    ["for good, as it was revoked", shots((index) => (index < 150 ? 200 : 401)), []],
    ["never", shots(() => 200), []],
  ] as const)("%s: %j", (_, withinPlan, expected) => {
    expect(verdicts(withinPlan)).toEqual(expected);
  });

  it("what a limit refuses above the plan says nothing of the key", () => {
    const beyond = unauthorizedAt(20, 90, 150);
    expect(verdicts([], beyond)).toEqual([]);
  });

  it("refusals of several keys count together", () => {
    const [one, other] = [unauthorizedAt(20, 90), unauthorizedAt(150)];
    const keys = [one, other].map((withinPlan, index) => {
      return { key: `free-${index}`, exchanges: withinPlan, withinPlan };
    });
    expect(judgeAccountOfKeys(keys).map(({ verdict }) => verdict)).toEqual(["broken"]);
  });

  it("a key that is never served is told by that alone", () => {
    expect(verdicts(shots(() => 403))).toEqual(["broken"]);
  });
});

describe("a key that is refused so often in a row that it seems revoked", () => {
  const untaken = (lastMs: number, againMs: number | null) => {
    const [first, last] = [answer(401, at(0)), answer(401, at(lastMs))];
    return {
      key: "free-a",
      first,
      last,
      again: againMs === null ? null : answer(200, at(againMs)),
    };
  };
  it.each([
    ["for longer than an accident, and then served", untaken(5_000, 6_000), "broken"],
    ["for a moment, and then served", untaken(1_000, 2_000), "inconclusive"],
    ["to the end", untaken(9_000, null), "inconclusive"],
  ] as const)("%s", (_, seen, verdict) => {
    expect(judgeRefusedKeys([seen]).map((each) => each.verdict)).toEqual([verdict]);
  });

  it("says nothing where none is", () => {
    expect(judgeRefusedKeys([])).toEqual([]);
  });
});

describe("what the account endpoints tell of the account", () => {
  type Told = (account: string, index: number) => unknown;

  function told(tell: Told, accounts: readonly string[] = ["one", "two", "three"]) {
    const shots = accounts.map((account) => {
      const exchanges = Array.from({ length: 60 }, (_, index) =>
        withJson(200, tell(account, index), { ...at(100 * index), key: `key-${account}` }),
      );
      return { key: `key-${account}`, exchanges, withinPlan: [] };
    });
    const keys = accounts.map((account) => ({ name: `key-${account}`, account }));
    return judgeAccountNamed(shots, keys).map(({ summary }) => summary);
  }

  const swapped = (account: string, index: number) =>
    account === "one" && index === 40 ? "two" : account;

  it("is another account's, once, by its name", () => {
    const summaries = told((account, index) => ({ account: { id: swapped(account, index) } }));
    expect(summaries).toEqual([expect.stringMatching(/^1 of 180 .* account\.id of another/)]);
  });

  it("is another account's where the credits name it", () => {
    const shots = ["one", "two"].map((account) => {
      const exchanges = Array.from({ length: 30 }, (_, index) => {
        const body = { account_id: swapped(account, index + 20), balance: 900 - index };
        const route = { route: "credits", path: "/v1/me/credits" } as const;
        return withJson(200, body, { ...at(100 * index), key: account, ...route });
      });
      return { key: account, exchanges, withinPlan: [] };
    });
    const keys = ["one", "two"].map((name) => ({ name, account: name }));
    expect(judgeAccountNamed(shots, keys).map(({ summary }) => summary)).toEqual([
      expect.stringMatching(/^1 of 60 answers to GET \/v1\/me\/credits have the account_id of/),
    ]);
  });

  /** GET /v1/me tells the truth; `told`: what the credits say to the keys of one and two. */
  function besideMe(told: (account: string, index: number) => string) {
    const shots = ["one", "two", "three"].map((account) => {
      const exchanges = Array.from({ length: 30 }, (_, index) => {
        const isMe = index % 3 > 0;
        const route = isMe ? ("me" as const) : ("credits" as const);
        const body = { account_id: isMe ? account : told(account, index / 3) };
        return withJson(200, body, { ...at(100 * index), key: account, route });
      });
      return { key: account, exchanges, withinPlan: [] };
    });
    const keys = shots.map(({ key }) => ({ name: key, account: key }));
    return judgeAccountNamed(shots, keys).map(({ verdict }) => verdict);
  }

  it("is another account's where the credits are whoever's asked last", () => {
    expect(besideMe((_, index) => ["one", "two", "three"][index % 3] ?? "")).toEqual(["broken"]);
  });

  it("may be the account that pays for the others", () => {
    expect(besideMe(() => "one")).toEqual([]);
  });

  it("may have one value at one endpoint and another at the next", () => {
    const tell = (account: string, index: number) => ({ account_id: `${account}${index % 2}` });
    const shots = ["one", "two"].map((account) => {
      const exchanges = Array.from({ length: 30 }, (_, index) => {
        const route = index % 2 === 0 ? ("me" as const) : ("credits" as const);
        return withJson(200, tell(account, index), { ...at(100 * index), key: account, route });
      });
      return { key: account, exchanges, withinPlan: [] };
    });
    const keys = ["one", "two"].map((name) => ({ name, account: name }));
    expect(judgeAccountNamed(shots, keys)).toEqual([]);
  });

  it.each<[string, Told]>([
    ["each its own", (account) => ({ account_id: account })],
    ["one account of two names", (account, index) => ({ email: `${account}${index % 2}` })],
    ["a name that no account has", (account, index) => ({ id: index === 9 ? "new" : account })],
    ["a plan that changes", (account, index) => ({ account: { plan: swapped(account, index) } })],
    ["a server that changes", (account, index) => ({ server_id: swapped(account, index) })],
    ["what all accounts share", (_, index) => ({ org: index === 9 ? "b" : "a" })],
    ["jobs at once", (account, at) => ({ account: { running: swapped(account, at).length } })],
    ["when it was renewed", (account, at) => ({ account: { renewed: swapped(account, at) } })],
    ["who used most", (account, at) => ({ usage: { top_user: swapped(account, at) } })],
    ["when somebody was last there", (account, at) => ({ last_login: swapped(account, at) })],
    ["no names", () => ({ ok: true })],
  ])("%s: none", (_, tell) => {
    expect(told(tell)).toEqual([]);
  });

  /** Members by key: of the first account's the second one belongs to the other account, too. */
  function toldByMembers(memberAt: (key: string, index: number) => string) {
    const shots = ["one-a", "one-b", "two-b"].map((key) => {
      const length = key === "one-a" ? 60 : 40;
      const exchanges = Array.from({ length }, (_, index) =>
        withJson(200, { user: { id: memberAt(key, index) } }, { ...at(100 * index), key }),
      );
      return { key, exchanges, withinPlan: [] };
    });
    const keys = shots.map(({ key }) => ({ name: key, account: key.slice(0, 3) }));
    return judgeAccountNamed(shots, keys).map(({ summary }) => summary);
  }

  it("may be a member's, who is in another account as well", () => {
    expect(toldByMembers((key) => key.slice(-1))).toEqual([]);
  });

  it("is another account's, where each key has a member of its own", () => {
    const strange = (key: string, index: number) =>
      key === "one-b" && index === 9 ? "two-b" : key;
    expect(toldByMembers(strange)).toEqual([expect.stringContaining("1 of 140 answers")]);
  });

  it("of one declared account nothing is told", () => {
    const tell: Told = (_, index) => ({ account_id: index === 9 ? "b" : "a" });
    expect(told(tell, ["one"])).toEqual([]);
  });
});

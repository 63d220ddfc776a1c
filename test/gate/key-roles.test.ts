/** Which key does what, by the keys that there are. */

import { describe, expect, it } from "vitest";
import { assignKeyRoles } from "../../gate/key-roles.ts";
import { free, key, pro } from "./base-target.ts";

const one = { account: "one" };
const two = { account: "two" };

const CASES = [
  {
    title: "without keys nobody does anything",
    keys: [],
    roles: { caller: null, stranger: null, limited: [] },
  },
  {
    title: "a single key calls and is measured, one after the other",
    keys: [free("a")],
    roles: { caller: "a", stranger: null, limited: ["a"] },
  },
  {
    title: "two keys of a plan are both measured, as isolation needs two",
    keys: [free("a"), free("b")],
    roles: { caller: "a", limited: ["b", "a"] },
  },
  {
    title: "with three keys of a plan the caller has one to itself",
    keys: [free("a"), free("b"), free("c")],
    roles: { caller: "a", limited: ["b", "c"] },
  },
  {
    title: "the caller is the fastest key that leaves its plan another one",
    keys: [free("a"), pro("p"), pro("q")],
    roles: { caller: "p", limited: ["q", "a"] },
  },
  {
    title: "a plan's only key is measured rather than called with",
    keys: [free("a"), free("b"), pro("p")],
    roles: { caller: "a", limited: ["p", "b"] },
  },
  {
    title: "two plans with a key each: the fastest calls, both are measured",
    keys: [free("a"), pro("p")],
    roles: { caller: "p", limited: ["p", "a"] },
  },
  {
    title: "no more than two keys of a plan are measured",
    keys: [free("a"), free("b"), free("c"), free("d"), free("e")],
    roles: { caller: "a", limited: ["b", "c"] },
  },
  {
    title: "a key without a declared plan calls, since nothing can be measured on it",
    keys: [key("x"), free("a"), free("b", { state: "revoked" })],
    roles: { caller: "x", limited: ["a"], revoked: "b" },
  },
  {
    title: "the stranger is of another declared account, and not measured where keys suffice",
    keys: [pro("p", one), pro("q", one), free("a", two), free("b", two)],
    roles: { caller: "p", stranger: "b", limited: ["q", "a"] },
  },
  {
    title: "an undeclared account is nobody's other account",
    keys: [pro("p", one), pro("q"), free("a"), free("b")],
    roles: { caller: "p", stranger: null },
  },
  {
    title: "a plan's only key may be the stranger, and is measured afterwards",
    keys: [pro("p", one), pro("q", one), free("a", two)],
    roles: { caller: "p", stranger: "a", limited: ["q", "a"] },
  },
  {
    title: "custom plans of different limits are different plans",
    keys: [
      key("big", { plan: "enterprise", sustained: 200, burst: 400 }),
      key("bigger", { plan: "enterprise", sustained: 500, burst: 900 }),
      free("a"),
      free("b"),
    ],
    roles: { caller: "a", limited: ["bigger", "big", "b"] },
  },
  {
    title:
      "webhooks and late jobs go on accounts of their own, the load on all keys apart from them",
    keys: [
      pro("p", one),
      pro("q", one),
      pro("r", two),
      pro("s", { account: "three" }),
      free("a", one),
      free("b", { account: "four" }),
    ],
    roles: {
      caller: "p",
      webhook: "r",
      timeout: "s",
      loaded: ["p", "q", "s", "a", "b"],
      overLimit: "a",
    },
  },
  {
    title: "where accounts don't suffice the caller submits it all",
    keys: [pro("p"), pro("q"), free("a")],
    roles: { caller: "p", webhook: "p", timeout: "p", loaded: ["q"], overLimit: "a" },
  },
  {
    title: "revoked and exhausted keys have their own roles only",
    keys: [free("a"), free("old", { state: "revoked" }), free("broke", { state: "exhausted" })],
    roles: { caller: "a", revoked: "old", exhausted: "broke", limited: ["a"] },
  },
];

describe("assignKeyRoles", () => {
  it.each(CASES)("$title", ({ keys, roles }) => {
    expect(assignKeyRoles(keys)).toMatchObject(roles);
  });

  it("lets those keys carry the load that the target names", () => {
    const keys = [pro("p"), pro("q"), free("a")];
    expect(assignKeyRoles(keys, ["a", "p"]).loaded).toEqual(["a", "p"]);
  });
});

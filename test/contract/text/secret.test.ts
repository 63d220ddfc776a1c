/** A secret shows itself to who asks for it, and to nobody else. */

import { format, inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { Secret, secretsIn } from "../../../contract/text/secret.ts";

const VALUE = "plk_0123456789abcdef";

describe("a secret", () => {
  const secret = new Secret(VALUE);
  const keys = new Map([["KEY", secret]]);
  it.each([
    ["in a text", `${secret}`],
    ["as a part of a text", "key: ".concat(String(secret))],
    ["in JSON", JSON.stringify({ key: secret, keys: [...keys] })],
    ["inspected", inspect({ secret, keys }, { depth: 9, showHidden: true })],
    ["logged", format("%s %o %O %j", secret, secret, secret, secret)],
    ["in an error", new Error("refused", { cause: { secret } }).stack ?? ""],
    ["listed", Object.entries(secret).join() + Reflect.ownKeys(secret).join()],
    ["copied", JSON.stringify({ ...secret }) + inspect(structuredClone(secret))],
  ])("%s does not show", (_, text) => expect(text).not.toContain(VALUE));

  it("is told to who reveals it", () => expect(secret.reveal()).toBe(VALUE));

  it("is taken from the variables that are set, and from those that are named", () => {
    const secrets = secretsIn({ A: "a", B: undefined, C: "c" }, ["A", "B", "D"]);
    expect([...secrets].map(([name, each]) => [name, each.reveal()])).toEqual([["A", "a"]]);
  });
});

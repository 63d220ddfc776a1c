/** One of several secrets, by when a key's deliveries are signed with each. Spec §5.5. */

import { describe, expect, it } from "vitest";
import type { SecretUse } from "../../../../contract/judges/webhook/signed.ts";
import {
  addUse,
  foreignSecret,
  strangeSecrets,
} from "../../../../contract/judges/webhook/signed.ts";
import { key } from "../../../gate/base-target.ts";

/** The secrets of deliveries that came a second apart, from 0. */
function strangeIn(...secrets: readonly number[]): readonly number[] {
  const uses = new Map<number, SecretUse>();
  for (const [second, secret] of secrets.entries()) addUse(uses, secret, second * 1_000);
  return strangeSecrets(uses);
}

const times = (count: number, secret: number) => Array<number>(count).fill(secret);

describe("a secret of a key", () => {
  it("may be changed", () => {
    expect(strangeIn(...times(30, 0), ...times(30, 1))).toEqual([]);
  });

  it("may be known to all machines of a service some seconds later", () => {
    expect(strangeIn(...times(30, 0), 1, 0, 1, 0, 1, 0, 1, ...times(30, 1))).toEqual([]);
  });

  it("is another's where the one before it is used again long after", () => {
    expect(strangeIn(...times(30, 0), 1, ...times(30, 0))).toEqual([1]);
    expect(strangeIn(1, ...times(30, 0), 1)).toEqual([1]);
  });
});

describe("a secret that a key names", () => {
  const keys = ["a", "b", "c"].map((name) => {
    return key(name, { webhookSecretEnv: name === "c" ? "OF_B" : `OF_${name.toUpperCase()}` });
  });

  it.each([
    ["its own", "a", ["OF_A"], null],
    ["its own, as another key's variable holds it as well", "a", ["OF_B", "OF_A"], null],
    ["that of others", "a", ["OF_B"], /with the secret of keys "b" and "c", promised .* "a"$/],
    ["one that no key names", "b", ["REST"], /with the secret in REST, promised that of key "b"$/],
    ["one of a variable that holds all", "a", undefined, null],
  ])("is held against %s", (_, name, secretEnvs, says) => {
    const lie = foreignSecret(keys, name, { secretEnvs });
    expect(lie).toEqual(says && expect.stringMatching(says));
  });

  it("is not known where no key names one", () => {
    expect(foreignSecret([key("a")], "a", { secretEnvs: ["OF_B"] })).toBeNull();
  });
});

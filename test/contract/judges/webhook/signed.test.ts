/** One of several secrets, by when a key's deliveries are signed with each. Spec §5.5. */

import { describe, expect, it } from "vitest";
import type { SecretUse } from "../../../../contract/judges/webhook/signed.ts";
import { addUse, strangeSecrets } from "../../../../contract/judges/webhook/signed.ts";

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

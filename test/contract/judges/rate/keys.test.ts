/** How what was seen of several keys is told. */

import { expect, test } from "vitest";
import { saidOfKeys } from "../../../../contract/judges/rate/keys.ts";

test("keys of which the same is said stand together, in the order in which it was said", () => {
  const said = saidOfKeys([
    { key: "big", said: "all 8 requests were admitted" },
    { key: "pro", said: "all 6 requests were admitted" },
    { key: "other-big", said: "all 8 requests were admitted" },
  ]);
  expect(said).toBe(
    "big, other-big: all 8 requests were admitted; pro: all 6 requests were admitted",
  );
});

test("nothing is said of no keys", () => {
  expect(saidOfKeys([])).toBe("");
});

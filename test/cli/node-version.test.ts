/** Which Node may run the command. */

import { expect, it } from "vitest";

import { isNewEnough } from "../../cli/node-version.ts";

it.each([
  ["20.20.2", false],
  ["23.11.0", false],
  ["24.0.0", true],
  ["100.1.0", true],
])("Node %s is new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

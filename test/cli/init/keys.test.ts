/** Keys as `--key VARIABLE:KIND:ACCOUNT` names them. */

import { expect, it } from "vitest";

import { readKeys } from "../../../cli/init/keys.ts";
import { OptionReader } from "../../../cli/values/option-reader.ts";

const env = "PLUMBLINE_KEY_FREE_A";

it.each([
  [env, { name: "free-a", env }],
  [`${env}:free`, { name: "free-a", plan: "free", env }],
  [`${env}:pro:one`, { name: "free-a", plan: "pro", account: "one", env }],
  [`${env}:revoked:`, { name: "free-a", state: "revoked", env }],
  [`${env}::team:one`, { name: "free-a", account: "team:one", env }],
  [
    `${env}:200/400:one`,
    { name: "free-a", plan: "enterprise", sustained: 200, burst: 400, account: "one", env },
  ],
])("%s", (text, entry) => {
  const options = new OptionReader();
  expect(readKeys([text], { [env]: "a-key" }, options)).toEqual([entry]);
  options.finish();
});

it.each([
  ["sk-live-123:pro", /a key is named by the variable that holds it/],
  ["plk_c32ec9a1f0:free", /a key is named by the variable that holds it/],
  ["AKIAC32EC9A1F0B7D5E9:pro", /a key is named by the variable that holds it/],
  [`${env}:enterprise`, /"enterprise" is written as its limits: SUSTAINED\/BURST/],
  [`${env}:plk_c32ec9a1f0b7`, /unknown plan; expected free, pro/],
])("refuses what is no variable and plan, and shows no key: %s", (text, says) => {
  const options = new OptionReader();
  expect(readKeys([text], { [env]: "a-key" }, options)).toEqual([]);
  expect(() => options.finish()).toThrow(says);
  expect(() => options.finish()).not.toThrow(/123|c32ec9a1|C32EC9A1/);
});

it("names a variable that is not set", () => {
  const options = new OptionReader();
  expect(readKeys([`${env}:pro`], {}, options)).toEqual([]);
  expect(() => options.finish()).toThrow(/environment variable PLUMBLINE_KEY_FREE_A is not set/);
});

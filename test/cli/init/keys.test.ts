/** Keys as `--key VARIABLE:KIND:ACCOUNT` names them. */

import { expect, it } from "vitest";

import { readKeys } from "../../../cli/init/keys.ts";
import { OptionReader } from "../../../cli/options.ts";

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

it("refuses a key in the place of its variable, and does not show it", () => {
  const options = new OptionReader();
  expect(readKeys(["sk-live-123:pro"], {}, options)).toEqual([]);
  expect(() => options.finish()).toThrow(/^--key: a key is named by the variable that holds it/);
});

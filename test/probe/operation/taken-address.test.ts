/** A probe that can't listen where it should. */

import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { covers } from "../../../tools/robustness/covers.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { serveOn } from "../../http/serve.ts";
import { canary, open } from "../open-probe.ts";

it(covers("gives back its journal when its address is taken", "36 probe"), async () => {
  const port = await serveOn(createServer());
  const state = await temporaryFolder();
  onTestFinished(() => state[Symbol.asyncDispose]());
  const given = { canaries: [canary("success")], stateDir: state.path };
  const taken = open({ ...given, listen: { host: "127.0.0.1", port } });
  await expect(taken).rejects.toMatchObject({ code: "EADDRINUSE" });
  const { probe } = await open(given);
  expect(probe.address).not.toBe("");
});

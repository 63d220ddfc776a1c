/**
 * A program of the suite in a process of its own, which does as it is told line by line: `hog`
 * takes all file descriptors that are left, `free` gives them back, `once` runs the canaries of
 * the probe. Arguments: what to start; for a probe also the base URL and the key of a service, a
 * folder, and its canary's deadline in ms.
 */

import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { Secret } from "../../contract/text/secret.ts";
import type { Probe } from "../../probe/probe.ts";
import { bigKey } from "../reference/big-key.ts";

const [what = "", baseUrl = "", value = "", stateDir = "", deadline] = process.argv.slice(2);
const hogged: number[] = [];

const COMMANDS: Readonly<Record<string, () => unknown>> = {
  hog() {
    try {
      for (;;) hogged.push(openSync(process.execPath, "r"));
    } catch {
      return hogged.length;
    }
  },
  free() {
    for (const descriptor of hogged.splice(0)) closeSync(descriptor);
  },
  async once() {
    return [...((await probe?.once()) ?? new Map()).values()];
  },
};

let probe: Probe | null = null;

/** Loads only what it starts: the rest would take most of the time. */
async function started(): Promise<unknown> {
  if (what === "reference") {
    const { startReference } = await import("../../reference/service.ts");
    const { baseUrl: url, keys } = await startReference({ timeScale: 0.02 });
    return { url, key: bigKey({ keys }) };
  }
  if (what === "receiver") {
    const { startReceiver } = await import("../../receiver/receiver.ts");
    const { access, querySecret } = await startReceiver();
    return { url: access.publicUrl, queryUrl: access.queryUrl, querySecret };
  }
  const { startProbe } = await import("../../probe/probe.ts");
  const { BASE_TARGET, key } = await import("../gate/base-target.ts");
  const { alone } = await import("../probe/alone.ts");
  probe = await startProbe({
    target: { ...BASE_TARGET, baseUrl, keys: [key("only")], canaries: [CANARY] },
    secrets: new Map([["KEY_only", new Secret(value)]]),
    stateDir,
    ...alone(),
  });
  return { url: probe.address };
}

const CANARY = {
  name: "main",
  part: "success",
  everyMs: 3_600_000,
  jitterShare: 0,
  deadlineMs: Number(deadline ?? 4_000),
  webhook: false,
  expect: null,
  overlapMax: null,
} as const;

const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
say(await started());
for await (const line of createInterface(process.stdin)) say(await COMMANDS[line]?.());
process.exit();

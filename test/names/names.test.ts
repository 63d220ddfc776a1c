/**
 * Names that nobody has, and names that move: a name server of the test's own answers on port 53
 * of a network of the child's own, where the system's resolver asks it.
 */

import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { messageOf } from "../../contract/text/thrown.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { k6Here } from "../runner/k6-here.ts";
import type { Findings } from "./findings.ts";

const MAIN = path.join(import.meta.dirname, "main.ts");
/** Ours: all of it takes some seconds, and many more on a busy machine. */
const LIMIT_MS = 600_000;

/** What the system reads to find a name. A file that it does without is not put in its place. */
const FILES = {
  "resolv.conf": "nameserver 127.0.0.1\n",
  "nsswitch.conf": "hosts: files dns\n",
  hosts: "127.0.0.1 localhost\n",
};

const SCRIPT = `
ip link set lo up || exit
for file in ${Object.keys(FILES).join(" ")}; do
  [ ! -e "/etc/$file" ] || mount --bind "$1/$file" "/etc/$file" || exit
done
folder=$1; shift
exec "$@" "$folder"
`;

let findings: Findings;
beforeAll(async () => {
  const { path: k6Path } = await k6Here();
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(FILES)) await folder.write(name, text);
  const command = ["sh", "-c", SCRIPT, "names", folder.path, process.execPath, MAIN, k6Path];
  const args = ["--map-root-user", "--net", "--mount", ...command];
  const help =
    "it takes user namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  try {
    const options = { timeout: LIMIT_MS, killSignal: "SIGKILL" } as const;
    const { stdout } = await promisify(execFile)("unshare", args, options);
    findings = JSON.parse(stdout) as Findings;
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${help}`, { cause: error });
  }
}, LIMIT_MS + 300_000);

it(covers("a name that nobody has is an http_error of a canary", "9 probe"), () => {
  const { unknown, jobs } = findings.probe;
  const what = "the submission: no response (dns: this machine did not find the service's address)";
  expect(unknown).toEqual({ outcome: "http_error", why: what });
  expect(jobs.spentWhileUnknown).toBe("0");
});

it(covers("a probe goes to the address that a name has now", "10 probe"), () => {
  const { known, moved, jobs } = findings.probe;
  expect([known, moved]).toMatchObject([{ outcome: "success" }, { outcome: "success" }]);
  expect([jobs.first, jobs.second]).toEqual([1, 1]);
});

it(covers("a name that nobody has is told by a scenario as such", "9 gate"), () => {
  const { exitCode, stderrTail, told } = findings.scenario;
  expect(exitCode, stderrTail).toBe(0);
  expect(told[0]).toMatchObject({ status: 0, error: "dns" });
});

it(covers("a scenario goes to the address that a name has now", "10 gate"), () => {
  const { told, answered } = findings.scenario;
  expect(told[1]).toMatchObject({ status: 200, error: null });
  expect(answered).toEqual(["first", "second"]);
});

it(covers("a gate on a name that nobody has reaches no verdict", "9 gate"), () => {
  const { exitCode, stderr } = findings.gate;
  expect(stderr).toMatch(/nobody\.plumbline\.test": its host name does not resolve/);
  expect(exitCode).toBe(111);
});

it(covers("a webhook to a name that nobody has is tried again", "9 reference"), () => {
  expect(findings.webhook).toBe("delivered");
});

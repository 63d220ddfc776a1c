/** Nobody beyond this machine reaches what the commands open, unless it is asked for. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MAIN, MAIN_ENVIRONMENT } from "./main-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const LIMIT_MS = 600_000;

/** State of a socket that listens. Linux, include/net/tcp_states.h. */
const LISTENS = "0A";
const LOOPBACK = ["0100007F", "00000000000000000000000001000000"];

/** Addresses in hexadecimal on which the network of a process is listened to. proc(5). */
function listening(pid: number): string[] {
  return ["tcp", "tcp6"].flatMap((table) => {
    const [, ...rows] = readFileSync(`/proc/${pid}/net/${table}`, "utf8").trim().split("\n");
    return rows.flatMap((row) => {
      const [, local = "", , state] = row.trim().split(/\s+/);
      return state === LISTENS ? [local.split(":")[0] ?? ""] : [];
    });
  });
}

/** With a network of its own, in which nothing else listens and each port is free. */
function startAlone(args: readonly string[], cwd: string) {
  const script = 'ip link set lo up && exec "$@"';
  const command = ["--map-root-user", "--net", "sh", "-c", script, "alone", process.execPath, MAIN];
  const child = spawn("unshare", [...command, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...MAIN_ENVIRONMENT, TMPDIR: cwd },
  });
  const kill = async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  return Object.assign(child, { [Symbol.asyncDispose]: kill });
}

describe("by default", () => {
  it.each([
    ["reference", ["reference"], /http:\/\/127/, 1],
    ["sink", ["sink"], /http:\/\/127[\s\S]*http:\/\/127/, 2],
    ["probe", ["probe"], /metrics +\S/, 2],
    ["gate", ["gate", "--only", "webhook.only-asked"], /webhook: started/, 3],
  ] as const)("%s listens to this machine alone", { timeout: LIMIT_MS }, async (...row) => {
    const [, args, ready, atLeast] = row;
    await using folder = await temporaryFolder();
    // Ended before its folder is removed.
    await using child = startAlone(args, folder.path);
    let said = "";
    const isReady = new Promise<void>((resolve, reject) => {
      const hear = (text: string) => {
        said += text;
        if (ready.test(said)) resolve();
      };
      child.stdout.setEncoding("utf8").on("data", hear);
      child.stderr.setEncoding("utf8").on("data", hear);
      const help = "user namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
      child.once("exit", (code) => reject(new Error(`${said}\nended with ${code}; needs ${help}`)));
    });
    await isReady;
    const found = listening(child.pid ?? 0);
    expect(found.length).toBeGreaterThanOrEqual(atLeast);
    expect(found.filter((address) => !LOOPBACK.includes(address))).toEqual([]);
  });
});

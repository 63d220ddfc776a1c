/** Starts a program of the suite as a child that can be starved and stopped. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const MAIN = path.join(import.meta.dirname, "main.ts");

export interface Child {
  /** What the program told of itself at its start. */
  told: { url: string; key?: string; queryUrl?: string; querySecret?: string };
  /** Sends a line, and gives back the answer to it. */
  ask(line: "hog" | "free" | "once"): Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
}

/** With so many file descriptors at the most. */
export async function startChild(
  args: readonly string[],
  descriptors: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const script = 'ulimit -n "$1"; shift; exec "$@"';
  const command = ["-c", script, "child", String(descriptors), process.execPath, MAIN, ...args];
  const child = spawn("sh", command, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  const lines = createInterface(child.stdout);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  const answer = async () => JSON.parse(((await once(lines, "line")) as string[])[0] ?? "");
  const told = (await answer()) as Child["told"];
  return {
    told,
    async ask(line) {
      const answered = answer();
      child.stdin.write(`${line}\n`);
      return await answered;
    },
    signal: (signal) => void child.kill(signal),
  };
}

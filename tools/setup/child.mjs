/** Child processes of the set-up: one that is watched for its output, and the command itself. */

import { spawn } from "node:child_process";
import os from "node:os";
import process from "node:process";

/** Ours: enough of a failed tool's words to see what went wrong. */
const OUTPUT_CHARS_MAX = 16_000;

/** Tools that are running: an install must not go on once the lock is given back. */
const tools = /** @type {Set<import("node:child_process").ChildProcess>} */ (new Set());

export function stopTools() {
  for (const child of tools) child.kill("SIGTERM");
}

/**
 * Runs a tool to its end and collects what it prints; stdout and the tail of stderr.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, onErrorText?: (text: string) => void }} options
 * @returns {Promise<{ code: number, stdout: string, output: string }>}
 */
export function runTool(command, args, { cwd, env, onErrorText }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    tools.add(child);
    let stdout = "";
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
      output = (output + text).slice(-OUTPUT_CHARS_MAX);
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      output = (output + text).slice(-OUTPUT_CHARS_MAX);
      onErrorText?.(text);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      tools.delete(child);
      resolve({ code: code ?? 1, stdout, output: output.trim() });
    });
  });
}

/**
 * Runs the command in the user's terminal and returns its exit code. On a terminal Ctrl-C reaches
 * the whole foreground group by itself; otherwise the signal is passed on, once.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
export function runChild(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: "inherit" });
    const passed = new Set();
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => {
      if (passed.has(signal) || (signal === "SIGINT" && process.stdin.isTTY)) return;
      passed.add(signal);
      child.kill(signal);
    };
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
      process.on(signal, pass);
    }
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
}

/** @param {NodeJS.Signals | null} signal */
function signalNumber(signal) {
  return signal === null ? 1 : (os.constants.signals[signal] ?? 1);
}

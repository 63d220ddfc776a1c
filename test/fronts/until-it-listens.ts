/** The start of a program that serves on a port that it was told. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";

/** Ours: each of the programs listens within a fraction of it, on a busy machine too. */
const START_LIMIT_MS = 60_000;

/** Throws with what it wrote when it ends, or does not listen in time. */
export async function untilItListens(
  child: ChildProcess,
  port: number,
  name: string,
): Promise<void> {
  let written = "";
  child.stderr?.on("data", (data: Buffer) => {
    written += data.toString();
  });
  const deadlineMs = Date.now() + START_LIMIT_MS;
  while (!(await accepts(port))) {
    const isOver = child.exitCode !== null || Date.now() > deadlineMs;
    if (isOver) throw new Error(`${name} does not listen on port ${port}: ${written.trim()}`);
  }
}

/** A refused connection takes a few milliseconds, so that asking again needs no pause. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

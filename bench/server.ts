/** A server of the benchmark's own, in a process of its own, which tells its address first. */

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

export interface Server {
  process: ChildProcess;
  pid: number;
  baseUrl: string;
}

export async function startServer(file: string): Promise<Server> {
  const child = fork(path.join(import.meta.dirname, file));
  const [{ baseUrl }] = (await once(child, "message")) as [{ baseUrl: string }];
  return { process: child, pid: child.pid ?? 0, baseUrl };
}

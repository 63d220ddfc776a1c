/** Paths that lose packets, for one run: started, asked and ended. */

import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { LossyPath } from "./lossy-proxy.ts";
import type { PathFigures } from "./paths-process.ts";

const SCRIPT = path.join(import.meta.dirname, "paths-process.ts");

export interface Paths {
  /** In the order of what was asked for. */
  urls: readonly string[];
  pid: number | undefined;
  figures(): Promise<PathFigures>;
  close(): Promise<void>;
}

export async function openPaths(asked: readonly LossyPath[]): Promise<Paths> {
  const child = fork(SCRIPT, [JSON.stringify(asked)], { execArgv: [] });
  const exited = once(child, "exit");
  const [urls] = (await once(child, "message")) as [string[]];
  return {
    urls,
    pid: child.pid,
    async figures() {
      const told = once(child, "message");
      child.send("figures");
      const [figures] = (await told) as [PathFigures];
      return figures;
    },
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** The proxies of one run in a process of their own, as they must not wait for each other's. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { LossyPath } from "./lossy-proxy.ts";
import { startLossyProxy } from "./lossy-proxy.ts";

/** What the paths did so far. */
export interface PathFigures {
  /** Chunks that came through, and how many of them late. */
  chunks: number;
  late: number;
  /** The longest that the proxies themselves stood still. */
  stoodStillMs: number;
}

const delays = monitorEventLoopDelay({ resolution: 20 });
delays.enable();
const asked = JSON.parse(process.argv[2] ?? "[]") as LossyPath[];
const proxies = await Promise.all(asked.map((path) => startLossyProxy(path)));

process.on("message", () => {
  const sum = (of: "chunks" | "late") => proxies.reduce((all, { counts }) => all + counts[of], 0);
  const stoodStillMs = Math.round(delays.max / 1e6);
  const figures: PathFigures = { chunks: sum("chunks"), late: sum("late"), stoodStillMs };
  process.send?.(figures);
});
process.on("disconnect", () => process.exit());
process.send?.(proxies.map(({ url }) => url));

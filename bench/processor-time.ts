/** Processor time of a process and its children, from Linux's own count. */

import { readFile } from "node:fs/promises";

/** The kernel counts in hundredths of a second: sysconf(_SC_CLK_TCK). */
export const TICK_MS = 10;
/** Ours: a process that ends is missed by so much at the most. */
const SAMPLE_MS = 100;

/** In ms, by the name of the program. */
export type ProcessorTime = ReadonlyMap<string, number>;

export interface Watch {
  /** From now on; what was used before is left out. */
  begin(): void;
  /** What was used since, as it was seen last. */
  end(): ProcessorTime;
  /** When a process that it had started was there last, by `performance.now`. */
  childSeenMs(): number;
}

/** Watches a process and those that it starts; `name` is what the first is called. */
export function watchProcess(name: string, pid: number): Watch {
  let seen = new Map<string, number>();
  let before: ProcessorTime = new Map();
  let childAtMs = performance.now();
  const sample = async () => {
    const now = new Map(seen);
    now.set(name, await usedMs(pid));
    for (const child of await childrenOf(pid)) {
      const command = await readFile(`/proc/${child}/comm`, "utf8");
      now.set(command.trim(), await usedMs(child));
      childAtMs = performance.now();
    }
    seen = now;
  };
  // A process that has just ended is not there to be read.
  const timer = setInterval(() => void sample().catch(() => {}), SAMPLE_MS);
  return {
    begin() {
      before = seen;
    },
    end() {
      clearInterval(timer);
      return new Map([...seen].map(([each, ms]) => [each, ms - (before.get(each) ?? 0)]));
    },
    childSeenMs: () => childAtMs,
  };
}

/** In ms, of that process alone. */
export async function usedMs(pid: number): Promise<number> {
  const [, fields = ""] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) * TICK_MS;
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text
    .split(" ")
    .filter((each) => each !== "")
    .map(Number);
}

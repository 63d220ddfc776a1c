/** Resident memory of the processes of a soak over its time. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Megabytes by the name of the process. */
export interface Sample {
  minutes: number;
  megabytes: Readonly<Record<string, number>>;
}

/** What the gate tells of itself. */
export interface HeapSize {
  /** Of its main thread, garbage included. */
  heapBytes: number;
}

interface Row {
  pid: number;
  parent: number;
  megabytes: number;
  command: string;
}

/** The suite's own processes, and the service that it judges. `heapBytes`: as the gate told it. */
export async function sampleMemory(
  gatePid: number,
  heapBytes: number,
  servicePid: number,
  minutes: number,
): Promise<Sample> {
  const rows = await processes();
  const of = (row: Row | undefined) => row?.megabytes ?? 0;
  return {
    minutes,
    megabytes: {
      gate: of(rows.find(({ pid }) => pid === gatePid)),
      "its heap": heapBytes / 1_024 ** 2,
      k6: of(rows.find(({ parent, command }) => parent === gatePid && /k6$/.test(command))),
      service: of(rows.find(({ pid }) => pid === servicePid)),
    },
  };
}

async function processes(): Promise<Row[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="]);
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, kilobytes, ...command] = line.trim().split(/\s+/);
    if (command.length === 0) return [];
    const megabytes = Number(kilobytes) / 1_024;
    return [{ pid: Number(pid), parent: Number(parent), megabytes, command: command.join(" ") }];
  });
}

/** A figure of each of as many stretches of equal length, the first one that of the start. */
export function stretchesOf(
  samples: readonly Sample[],
  stretches: number,
  figure: (megabytes: readonly number[]) => number,
): Sample[] {
  const end = samples.at(-1)?.minutes ?? 0;
  const names = Object.keys(samples[0]?.megabytes ?? {});
  return Array.from({ length: stretches }, (_, n) => {
    const [from, to] = [(end * n) / stretches, (end * (n + 1)) / stretches];
    const own = samples.filter(({ minutes }) => minutes > from && minutes <= to);
    const of = (name: string) => figure(own.map(({ megabytes }) => megabytes[name] ?? 0));
    return { minutes: to, megabytes: Object.fromEntries(names.map((name) => [name, of(name)])) };
  });
}

export const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** What a heap falls back to when it is collected: it grows if anything is kept. */
export const lowest = (values: readonly number[]) => Math.min(...values);

/** Least squares over the samples after the first third: megabytes an hour. */
export function growthOf(samples: readonly Sample[], name: string): number {
  const end = samples.at(-1)?.minutes ?? 0;
  const late = samples.filter(({ minutes }) => minutes > end / 3);
  const points = late.map(
    ({ minutes, megabytes }) => [minutes / 60, megabytes[name] ?? 0] as const,
  );
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return variance === 0 ? 0 : covariance / variance;
}

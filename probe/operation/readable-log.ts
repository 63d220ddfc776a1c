/** A line of the probe's log as a person reads it on a terminal; programs get the JSON. */

import { oneLine } from "../../report/text.ts";
import { clockTime, spell } from "../spell.ts";

/** Source: pino's levels. */
const LEVELS: Readonly<Record<number, string>> = { 30: "", 40: "WARN ", 50: "ERROR " };

/** Fields that stand elsewhere in the line, or that nobody reads at a terminal. */
const PLACED = ["level", "time", "event", "msg", "canary", "outcome", "durationMs", "runId"];

/**
 * "11:26:55 WARN main: wrong result after 1.1 s: no result (worker echo, jobId job_1)". What the
 * service named can't steer the terminal, nor begin a line of its own.
 */
export function readableLine(line: string): string {
  const told = fieldsOf(line);
  if (told === null) return line;
  const { level, time, msg, canary, outcome, durationMs } = told;
  const at = clockTime(Date.parse(String(time)));
  const what = typeof outcome === "string" ? `${outcome.replaceAll("_", " ")} ` : "";
  const took = typeof durationMs === "number" ? `after ${spell(durationMs)}` : "";
  const run = `${what}${took}`.trim();
  const parts = [canary, run, msg].filter((each) => typeof each === "string" && each !== "");
  const rest = Object.entries(told)
    .filter(([name, value]) => !PLACED.includes(name) && value !== null)
    .map(([name, value]) => `${name} ${value}`);
  const more = rest.length === 0 ? "" : ` (${rest.join(", ")})`;
  return `${oneLine(`${at} ${LEVELS[Number(level)] ?? ""}${parts.join(": ")}${more}`)}\n`;
}

function fieldsOf(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

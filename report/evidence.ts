/** The evidence of a promise as its page, its terminal lines and its files show it to a person. */

import type { Json } from "../contract/verdict.ts";
import type { JudgedPromise, Observation } from "./model.ts";
import { duration, evidenceItems, evidenceName, evidenceText } from "./text.ts";

export interface EvidenceRow {
  name: string;
  items: readonly string[];
}

/** Without what the summary above it and the quotes below it say already. */
export function evidenceRows({ evidence, summary, observations }: JudgedPromise): EvidenceRow[] {
  return Object.entries(evidence).flatMap(([name, value]) => {
    // Each request is quoted with its time, and more of it.
    if (name === "seen" && observations.length > 0) return [];
    if (name !== "examples" || !Array.isArray(value)) {
      return [{ name: evidenceName(name), items: evidenceItems(name, value) }];
    }
    const others = value.filter((each: Json) => !summary.includes(evidenceText(name, each)));
    return others.length === 0 ? [] : [{ name, items: evidenceItems(name, others) }];
  });
}

/** When a request was sent, how long its response took, and with which key. */
export function quoteFacts({ sentAtMs, tookMs, key }: Observation): string {
  const when = new Date(sentAtMs).toISOString();
  return [when, duration(tookMs), ...(key === null ? [] : [`key ${key}`])].join(", ");
}

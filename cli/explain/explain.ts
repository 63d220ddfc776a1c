/** Everything that is known of one promise, gathered for a person or a program. */

import { readFileSync } from "node:fs";
import path from "node:path";

import type { PromiseEntry, PromiseId } from "../../contract/promises.ts";
import { promiseEntry } from "../../contract/promises.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { ROOT } from "../../runner/package-root.ts";
import { GAPS } from "../init/gaps.ts";

export interface Explained extends PromiseEntry {
  judged: string;
  causes: string;
  remedy: string;
  /** What a run of each profile rules out on the embedded service; null where it sees nothing. */
  rulesOut: { quick: string; standard: string } | null;
  /** Lines of the target file that it needs. */
  needs: readonly string[];
  /** Faults of the embedded service that break it. */
  faults: readonly { name: string; title: string; certain: boolean; variant: "a" | "b" }[];
}

export function explained(id: PromiseId): Explained {
  const [, judged = "", causes = "", remedy = ""] = rowOf("explanations.md", id);
  const needs = needsOf(id);
  const own = FAULTS.filter(({ promise, nearMiss }) => promise === id && !nearMiss);
  const faults = own.map(({ name, title, curve, variants = ["B"] }) => {
    const variant = variants.includes("B") ? "b" : "a";
    return { name, title, certain: curve !== true, variant } as const;
  });
  return { ...promiseEntry(id), judged, causes, remedy, rulesOut: strengthsOf(id), needs, faults };
}

/** Of a part the line of its own, and not the one that any worker would do. */
function needsOf(id: PromiseId): readonly string[] {
  const gaps = GAPS.filter(({ promises }) => promises.includes(id));
  const hasPart = gaps.some(({ field }) => field.startsWith("workers."));
  return gaps.filter(({ field }) => !hasPart || field !== "workers").map(({ add }) => add);
}

/** From whole runs, which write that page. */
function strengthsOf(id: PromiseId): Explained["rulesOut"] {
  const [standard, quick] = rowOf("promises.md", id).toReversed();
  return quick === undefined || standard === undefined ? null : { quick, standard };
}

/** The cells of the promise's row in a page of the documents, which lie in the package. */
function rowOf(page: string, id: PromiseId): readonly string[] {
  const text = readFileSync(path.join(ROOT, "docs", page), "utf8");
  const row = text.split("\n").find((line) => line.startsWith(`| \`${id}\` |`)) ?? "";
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

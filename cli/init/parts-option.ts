/** Reads `--worker part=id` and `--input part=json`, and asks where somebody is there. */

import { isObject } from "../../contract/decode/decoded.ts";
import type { Part, WorkerPart } from "../../contract/run/run-plan.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import type { Ask } from "../ask.ts";
import { didYouMean } from "../values/nearest.ts";
import type { OptionReader } from "../values/option-reader.ts";
import type { Parts } from "./choose-parts.ts";
import { partOf, proposedParts } from "./choose-parts.ts";
import type { ServiceWorker } from "./service-workers.ts";

export interface GivenParts {
  workers: ReadonlyMap<Part, string>;
  inputs: ReadonlyMap<Part, WorkerPart["input"]>;
}

export function readParts(
  workers: readonly string[],
  inputs: readonly string[],
  options: OptionReader,
): GivenParts {
  return {
    workers: new Map(workers.flatMap((text) => pairOf("--worker", text, options))),
    inputs: new Map(
      inputs.flatMap((text) =>
        pairOf("--input", text, options).flatMap(([part, json]) => {
          const input = objectIn(json);
          if (input !== null) return [[part, input] as const];
          const expected = `expected one such as ${part}={"text":"hi"}`;
          options.problem(`--input: "${json}" is no JSON object; ${expected}`);
          return [];
        }),
      ),
    ),
  };
}

function pairOf(option: string, text: string, options: OptionReader): (readonly [Part, string])[] {
  const [name = "", ...rest] = text.split("=");
  const part = PARTS.find((each) => each === name);
  if (part !== undefined && rest.length > 0) return [[part, rest.join("=")]];
  const near = didYouMean(name, PARTS);
  const expected = `PART=... with one of: ${PARTS.join(", ")}`;
  options.problem(`${option}: "${text}" names no part${near}; expected ${expected}`);
  return [];
}

function objectIn(text: string): WorkerPart["input"] | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as WorkerPart["input"]) : null;
  } catch {
    return null;
  }
}

const QUESTIONS: Readonly<Record<Part, string>> = {
  success: "completes within seconds, cheaply",
  slow: "completes after some seconds",
  timeout: "runs into its time limit",
  failure: "fails",
  list: "completes with a list (variant B)",
  empty: "completes with nothing (variant B)",
  files: "completes with files (variant B)",
};

/** What was given, then what a person says, then what the catalogue proposes. */
export async function chooseParts(
  given: GivenParts,
  workers: readonly ServiceWorker[],
  ask: Ask | null,
): Promise<Parts> {
  const proposed = proposedParts(workers);
  const parts: Parts = {};
  for (const part of PARTS) {
    const known = given.workers.get(part) ?? proposed[part]?.id ?? "";
    const isAsked = ask !== null && !given.workers.has(part);
    const id = isAsked
      ? await ask(`Worker that ${QUESTIONS[part]} ("-": none)`, known || "-")
      : known;
    const worker = workerFor(id, proposed[part], workers);
    const input = given.inputs.get(part);
    if (worker !== null) parts[part] = input === undefined ? worker : { ...worker, input };
  }
  return parts;
}

function workerFor(
  id: string,
  proposed: WorkerPart | undefined,
  workers: readonly ServiceWorker[],
): WorkerPart | null {
  if (id === "" || id === "-") return null;
  if (proposed?.id === id) return proposed;
  const known = workers.find((each) => each.id === id);
  return known === undefined ? { id, input: {} } : partOf(known, known.input ?? {});
}

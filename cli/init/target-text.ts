/** The text of a target file: what is known, and what the catalogue offers, as comments. */

import { stringify } from "yaml";
import { oneLine } from "../../report/text.ts";
import type { Parts } from "./choose-parts.ts";
import type { KeyEntry } from "./keys.ts";
import type { Catalogue, ServiceWorker } from "./service-workers.ts";

export interface Draft {
  baseUrl: string;
  timeScale: number;
  keys: readonly KeyEntry[];
  parts: Parts;
  publish: string | null;
  cancel: string | null;
  webhook: { listen?: string; publicUrl?: string } | null;
  jobs: number;
}

/** `schema`: where editors find the schema of this file, as it is written from there. */
export function targetText(draft: Draft, catalogue: Catalogue, schema: string): string {
  const { baseUrl, timeScale, keys, parts, publish, cancel, webhook, jobs } = draft;
  const workers = Object.entries(parts);
  const lines = [
    `# yaml-language-server: $schema=${schema}`,
    "# Written by plumbline init. Keys are named by the variables that hold them.",
    `target: ${flow(timeScale === 1 ? { baseUrl } : { baseUrl, timeScale })}`,
    "keys:",
    ...keys.map((key) => `  - ${flow(key)}`),
    ...(workers.length === 0 ? [] : ["workers:"]),
    ...workers.map(([name, worker]) => `  ${name}: ${flow(worker)}`),
    ...(publish === null ? [] : [`publish: ${flow({ worker: publish })}`]),
    ...(cancel === null ? [] : [`cancel: ${flow({ method: cancel })}`]),
    ...(webhook === null ? [] : [`webhook: ${flow(webhook)}`]),
    `budget: ${flow({ jobs })}`,
    ...(catalogue.workers.length === 0 ? [] : ["", "# Workers of the catalogue:"]),
    ...catalogue.workers.map((worker) => `#   ${workerLine(worker)}`),
    ...(catalogue.others === 0 ? [] : [`#   and ${catalogue.others} more`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** In one line, whatever texts are in it: as JSON, which is YAML too, where YAML's own has more. */
function flow(value: object): string {
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
  return text.includes("\n") ? JSON.stringify(value) : text;
}

/** "echo (Echo): 0.01 USD, up to 60 s; input { text: hello }". */
function workerLine({ id, name, priceUsd, timeoutSeconds, input }: ServiceWorker): string {
  const facts = [
    ...(priceUsd === null ? [] : [`${priceUsd} USD`]),
    ...(timeoutSeconds === null ? [] : [`up to ${timeoutSeconds} s`]),
  ];
  const known = facts.length === 0 ? "" : `: ${facts.join(", ")}`;
  const shown = input === null ? "its input has to be written by hand" : `input ${flow(input)}`;
  return oneLine(`${id} (${name})${known}; ${shown}`);
}

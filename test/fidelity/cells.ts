/**
 * The cells that run in real k6 as well as in the simulation: thirteen fixed ones, over all
 * six scenarios, and twelve drawn by the commit, so that every commit tries others.
 */

import type { PromiseGroup, PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { rankOf } from "../drawn-cases.ts";
import { CELLS, cellName } from "../kill-matrix/cells.ts";
import type { Condition } from "../kill-matrix/condition.ts";
import { groupPromises } from "../kill-matrix/expectation.ts";
import { RATE_KEYS } from "../kill-matrix/real/keys.ts";

export interface FidelityCell {
  title: string;
  condition: Condition;
  /** null: a healthy service, of which nothing may be called broken. */
  fault: Fault | null;
}

/**
 * Healthy services whose times are compared, too: each runs while nothing else does but what stands
 * back.
 */
export const ALONE: readonly FidelityCell[] = [
  healthy("webhook waits", "B", promisesOf("webhook")),
  healthy("limits", "A", promisesOf("rate"), RATE_KEYS),
];

/** Two are reached over HTTPS. The capacity scenario makes the other two: capacity-step.ts. */
export const BESIDE: readonly FidelityCell[] = [
  healthy("timeouts", "A", promisesOf("timeout")),
  healthy("a load", "B", promisesOf("load")),
  overHttps(healthy("requests and jobs", "A", promisesOf("auth", "account", "workers", "job"))),
  overHttps(faulty("submit.accepted-status/answers-200", "B")),
  faulty("rate.sustained/8-percent-over", "B"),
  faulty("webhook.wait-2/3-s-early", "A"),
  // Seen only where jobs are marked beyond ASCII.
  faulty("webhook.result/double-encoded", "B"),
  faulty("timeout.free/1-percent", "B"),
  faulty("load.no-losses/1-in-20", "A"),
];

/**
 * Strikes by chance, which the service with real k6 draws anew, or by the clock on the wall: one
 * run may miss it.
 */
const BY_CHANCE = /1-in-|once-in-a-while|now-and-then|free-(second|minute)|each-minute/;

/** Strikes 5 s after a job's end: in scaled time a run is over by then, unless k6 is slow. */
const AFTER_THE_RUN = /\bjob\b.*(after 5 s|5 s after its end|later when it is read again)$/;

/** Strikes what a burst under load is refused for: a busy machine may send it too slowly. */
const BEYOND_LIMIT = /beyond-limit/;

/** Cells of the kill matrix, none twice, none of those above; the same for the same text. */
export function drawnCells(text: string, count: number): readonly FidelityCell[] {
  const fixed = new Set(BESIDE.map(({ title }) => title));
  return CELLS.map((cell) => ({ cell, name: cellName(cell) }))
    .filter(({ cell, name }) => !fixed.has(name) && isSure(cell))
    .map(({ cell, name }) => ({ cell, rank: rankOf(text, name) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ cell }) => faulty(cell.fault.name, cell.variant));
}

function isSure({ fault }: (typeof CELLS)[number]): boolean {
  const isByChance = BY_CHANCE.test(fault.name) || AFTER_THE_RUN.test(fault.title);
  return fault.curve !== true && !isByChance && !BEYOND_LIMIT.test(fault.name);
}

function healthy(
  title: string,
  variant: Variant,
  only: readonly PromiseId[],
  keys?: readonly string[],
): FidelityCell {
  const condition = { variant, only, ...(keys === undefined ? {} : { keys }) };
  return { title: `healthy ${variant}: ${title}`, condition, fault: null };
}

function overHttps(cell: FidelityCell): FidelityCell {
  return { ...cell, condition: { ...cell.condition, front: "tls" } };
}

function faulty(name: string, variant: Variant): FidelityCell {
  const fault = faultNamed(name);
  const keys = groupOf(fault.promise) === "rate" ? { keys: RATE_KEYS } : {};
  const condition = { variant, faults: [name], only: groupPromises(fault), ...keys };
  return { title: cellName({ fault, variant }), condition, fault };
}

export function faultNamed(name: string): Fault {
  const fault = FAULTS.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`no fault "${name}"`);
  return fault;
}

function promisesOf(...groups: readonly PromiseGroup[]): readonly PromiseId[] {
  return PROMISE_IDS.filter((id) => groups.includes(groupOf(id)));
}

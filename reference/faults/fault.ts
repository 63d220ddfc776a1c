/** What a fault is, and the small tools that faults are made of. */

import type { PromiseId } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Clock } from "../../contract/time/clock.ts";
import type { ReferenceKey } from "../accounts/keys.ts";
import type { Choices } from "../choices.ts";
import type { Hooks } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import type { Random } from "../random.ts";

/** What a fault may know of the service that it is switched on in. */
export interface FaultScene {
  variant: Variant;
  timeScale: number;
  keys: readonly ReferenceKey[];
  clock: Clock;
  random: Random;
}

export interface Fault {
  /** `<promise>/<how>`; near misses are `<promise>/near-<how>`. */
  name: string;
  promise: PromiseId;
  title: string;
  /** Stays inside what is promised: nothing may be reported broken. */
  nearMiss: boolean;
  /**
   * So small or so rare that a run may miss it: how often it is found is measured, and nothing
   * but its promise and companions may be reported broken. Left out: a run has to find it.
   */
  curve?: true;
  /** Variants in which it can show; left out: both. */
  variants?: readonly Variant[];
  /** Choices with which it can show; left out: any. */
  choices?: Partial<Choices>;
  /** Promises that can't but break with it, for the reason that heads the group's file. */
  companions?: readonly PromiseId[];
  /** Promises whose scenario has to run for it to be seen; left out: its own promise's will do. */
  seenWith?: readonly PromiseId[];
  /** Fresh hooks with a memory of their own: two services never share a fault's state. */
  create(scene: FaultScene): Partial<Hooks>;
}

type Extras = Pick<Fault, "curve" | "variants" | "choices" | "companions" | "seenWith">;

/** What only variant B tells. */
export const B_ONLY = { variants: ["B"] } as const satisfies Extras;

/** What only a load shows, or a run that has one. */
export const UNDER_LOAD = { seenWith: ["load.no-losses"] } as const satisfies Extras;

export type Row = readonly [title: string, create: Fault["create"], extras?: Extras];

/** The faults of a promise by what stands behind it in their names. */
export function faultsOf(promise: PromiseId, rows: Readonly<Record<string, Row>>): Fault[] {
  return Object.entries(rows).map(([how, row]) => faultOf(promise, how, ...row));
}

/** Faults of any promises, by their whole names, that have extras in common beside their own. */
export function faults(
  shared: Extras,
  rows: Readonly<Record<`${PromiseId}/${string}`, Row>>,
): Fault[] {
  return Object.entries(rows).map(([name, row]) => {
    const [promise, how = ""] = name.split("/");
    return { ...shared, ...faultOf(promise as PromiseId, how, ...row) };
  });
}

/** What begins with "near-" stays just inside of what is promised. */
export function faultOf(promise: PromiseId, how: string, ...[title, create, extras]: Row): Fault {
  const nearMiss = how.startsWith("near-");
  return { name: `${promise}/${how}`, promise, title, nearMiss, create, ...extras };
}

/** Hooks that bend what becomes of the jobs that are chosen: 1 in `oneOf`, each for good. */
export function ofJobs(
  oneOf: number,
  hooks: (chosen: (job: Job) => boolean, scene: FaultScene) => Partial<Hooks>,
): Fault["create"] {
  return (scene) => hooks(chosenOneIn(oneOf, scene.random), scene);
}

/** Hooks that bend a decision 1 time in `oneOf`. */
export function sometimes(
  oneOf: number,
  hooks: (isTime: () => boolean, scene: FaultScene) => Partial<Hooks>,
): Fault["create"] {
  return (scene) => hooks(oneIn(oneOf, scene.random), scene);
}

/** Draws anew each time: true with a chance of 1 in `n`; 1: always. */
export function oneIn(n: number, random: Random): () => boolean {
  return n === 1 ? () => true : () => random() * n < 1;
}

/** Draws once for each job that it is asked about, 1 in `n`, and sticks to it. */
export function chosenOneIn(n: number, random: Random): (job: Job) => boolean {
  const known = new WeakMap<Job, boolean>();
  const draw = oneIn(n, random);
  return (job) => {
    const chosen = known.get(job) ?? draw();
    known.set(job, chosen);
    return chosen;
  };
}

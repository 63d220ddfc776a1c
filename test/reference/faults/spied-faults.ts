/**
 * Shows every decision of a healthy service to faults and notes what each would make of it; the
 * service follows none of them, so that all see the same.
 */

import { Account } from "../../../reference/accounts/account.ts";
import type { Fault } from "../../../reference/faults/fault.ts";
import {
  HEALTHY,
  type HookName,
  type Hooks,
  type RefusedSubmission,
} from "../../../reference/hooks.ts";
import { seededRandom } from "../../probe/tracker/random.ts";

/** How often one thing, such as a job, was decided on, and by fault how often not healthily. */
interface Tally {
  calls: number;
  bent: number[];
}

/** What one fault, by its place in the tallies, did under the same circumstances. */
export interface Counts {
  fault: number;
  things: Map<object, Tally>;
}

export interface Record {
  /** One mark a decision, in order, by fault and hook. */
  marks: Map<string, boolean[]>;
  /** By fault, hook and circumstances. */
  counts: Map<string, Counts>;
}

type AnyHook = (value: unknown, ...context: unknown[]) => unknown;
type Circumstances = (hook: HookName, value: unknown, context: readonly unknown[]) => Where;

export interface Where {
  stratum: string;
  thing: object;
}

/** A fault that bends nothing, and a record of what the given ones would have bent. */
export function spyOn(faults: readonly Fault[], where: Circumstances): [Fault, Record] {
  const record: Record = { marks: new Map(), counts: new Map() };
  const spy: Fault = {
    name: "job.shape/spy",
    promise: "job.shape",
    title: "Nothing is wrong",
    nearMiss: true,
    create(scene) {
      const variant = scene.variant;
      const known = faults.filter(({ variants }) => variants?.includes(variant) ?? true);
      const parts = known.map((fault, at) => {
        const random = seededRandom(at + 1);
        return { name: fault.name, hooks: fault.create({ ...scene, random }) };
      });
      const hooks = (Object.keys(HEALTHY) as HookName[]).map((hook) => {
        const watched = parts.flatMap(({ name, hooks }) => {
          const bend = hooks[hook] as AnyHook | undefined;
          return bend === undefined ? [] : [{ name: `${name} ${hook}`, bend }];
        });
        const note = notesOf(
          record,
          watched.map(({ name }) => name),
        );
        const decide: AnyHook = (value, ...context) => {
          const { stratum, thing } = where(hook, value, context);
          note(stratum, thing, (fault) => {
            const bend = watched[fault]?.bend;
            return bend !== undefined && bends(bend, value, context);
          });
          return value;
        };
        return [hook, decide];
      });
      return Object.fromEntries(hooks) as Partial<Hooks>;
    },
  };
  return [spy, record];
}

/** Notes what all faults at a hook make of a decision: some million, so each name is made once. */
function notesOf(record: Record, names: readonly string[]) {
  const marks = names.map((): boolean[] => []);
  const strata = new Map<string, Map<object, Tally>>();
  const begin = (stratum: string): Map<object, Tally> => {
    if (strata.size === 0)
      names.forEach((name, fault) => void record.marks.set(name, marks[fault] ?? []));
    const things = new Map<object, Tally>();
    strata.set(stratum, things);
    names.forEach((name, fault) => void record.counts.set(`${name} ${stratum}`, { fault, things }));
    return things;
  };
  return (stratum: string, thing: object, isBent: (fault: number) => boolean): void => {
    const things = strata.get(stratum) ?? begin(stratum);
    const tally = things.get(thing) ?? { calls: 0, bent: names.map(() => 0) };
    if (tally.calls === 0) things.set(thing, tally);
    tally.calls += 1;
    marks.forEach((each, fault) => {
      const bent = isBent(fault);
      each.push(bent);
      if (bent) tally.bent[fault] = (tally.bent[fault] ?? 0) + 1;
    });
  };
}

/** What is left behind by a refusal counts, too; nothing of it comes to pass. */
function bends(bend: AnyHook, value: unknown, context: readonly unknown[]): boolean {
  const [first] = context;
  if (!isRefusal(first)) return isOther(value, bend(value, ...context));
  const account = new Account("spied", 1, 0);
  const before = account.availableMicroUsd;
  let isStarted = false;
  const start = () => {
    isStarted = true;
  };
  bend(value, { ...first, account, start });
  return isStarted || account.availableMicroUsd !== before;
}

function isRefusal(context: unknown): context is RefusedSubmission {
  return typeof context === "object" && context !== null && "start" in context;
}

function isOther(before: unknown, after: unknown): boolean {
  if (Object.is(before, after)) return false;
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length !== after.length || before.some((each, at) => each !== after[at]);
  }
  if (typeof before !== "object" || typeof after !== "object") return true;
  return JSON.stringify(before) !== JSON.stringify(after);
}

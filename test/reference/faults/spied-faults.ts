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

/** How often one thing, such as a job, was decided on, and how often otherwise than healthily. */
interface Count {
  calls: number;
  bent: number;
}

/** What one fault did at one hook, under the same circumstances. */
export type Counts = Map<object, Count>;

export interface Record {
  /** One mark a decision, in order, by fault and hook. */
  marks: Map<string, boolean[]>;
  /** By fault, hook and circumstances, then by the thing that was decided on. */
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
      const hooks = (Object.keys(HEALTHY) as HookName[]).map((hook) => [
        hook,
        (value: unknown, ...context: unknown[]) => {
          const { stratum, thing } = where(hook, value, context);
          for (const { name, hooks } of parts) {
            const bend = hooks[hook] as AnyHook | undefined;
            if (bend === undefined) continue;
            note(record, `${name} ${hook}`, stratum, thing, bends(bend, value, context));
          }
          return value;
        },
      ]);
      return Object.fromEntries(hooks) as Partial<Hooks>;
    },
  };
  return [spy, record];
}

function note(record: Record, what: string, stratum: string, thing: object, bent: boolean): void {
  const marks = record.marks.get(what) ?? [];
  record.marks.set(what, marks);
  marks.push(bent);
  const counts = record.counts.get(`${what} ${stratum}`) ?? new Map<object, Count>();
  record.counts.set(`${what} ${stratum}`, counts);
  const count = counts.get(thing) ?? { calls: 0, bent: 0 };
  counts.set(thing, { calls: count.calls + 1, bent: count.bent + (bent ? 1 : 0) });
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

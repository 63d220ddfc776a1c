/**
 * What the page says of the API checks, by the rule of canaries: the failures since the last
 * success stand, and so does what failed again within ten minutes. Where one replica of several is
 * broken, most checks are well, and what woke somebody is not about these.
 */

import type { PromiseId } from "../../contract/promises.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import type { ApiCheck, ProbeEvent } from "../events.ts";
import { causeOfCheck, causeOfPromise } from "./causes.ts";
import type { Sighting } from "./problems.ts";
import { NOTICE_MS } from "./view.ts";

type CheckEvent = Extract<ProbeEvent, { type: "api-check" }>;

/** Failures in a row that came out alike. */
interface Spell {
  outcome: CheckEvent["outcome"];
  /** How often the check had become well before. */
  after: number;
  sinceMs: number;
  lastAtMs: number;
  times: number;
  /** Of the last of them. */
  why: string;
  promises: readonly PromiseId[];
}

interface Checked {
  /** Oldest first; those that stand or are news. */
  spells: readonly Spell[];
  isWell: boolean;
  /** How often it has become well. */
  recoveries: number;
}

const NEVER_CHECKED: Checked = { spells: [], isWell: true, recoveries: 0 };

export class FailingChecks {
  readonly #checked = new Map<ApiCheck, Checked>();

  apply({ check, outcome, why, promises }: CheckEvent, nowMs: number): void {
    const { spells, isWell, recoveries } = this.#checked.get(check) ?? NEVER_CHECKED;
    const news = spells.filter(({ lastAtMs }) => nowMs - lastAtMs < NOTICE_MS);
    if (why === null) {
      const after = isWell ? recoveries : recoveries + 1;
      return void this.#checked.set(check, { spells: news, isWell: true, recoveries: after });
    }
    const lasting = spells.findLast(
      (each) => each.outcome === outcome && each.after === recoveries,
    );
    const spell: Spell = {
      outcome,
      after: recoveries,
      sinceMs: lasting?.sinceMs ?? nowMs,
      lastAtMs: nowMs,
      times: (lasting?.times ?? 0) + 1,
      why,
      promises,
    };
    const before = news.filter((each) => each !== lasting);
    this.#checked.set(check, { spells: [...before, spell], isWell: false, recoveries });
  }

  /** Those that fail alike are one, so that an outage leaves room for what else is said. */
  sightings(nowMs: number): readonly Sighting[] {
    const found = [...this.#checked].flatMap(([check, checked]) => shownOf(check, checked, nowMs));
    const alike = Map.groupBy(found, ({ last, isAgain, isOver }) =>
      JSON.stringify([last.outcome, last.why, isAgain, isOver]),
    );
    return [...alike.values()].flatMap((those) => sightingOf(those) ?? []);
  }
}

/** What the page says of one check. */
interface Shown {
  check: ApiCheck;
  spells: readonly Spell[];
  last: Spell;
  isAgain: boolean;
  isOver: boolean;
}

/** By outcome, as runs are. */
function shownOf(check: ApiCheck, { spells, isWell }: Checked, nowMs: number): readonly Shown[] {
  const shown = spells.filter(
    (each) => nowMs - each.lastAtMs < NOTICE_MS || (!isWell && each === spells.at(-1)),
  );
  return [...Map.groupBy(shown, ({ outcome }) => outcome).values()].flatMap((alike) => {
    const last = alike.at(-1);
    const isAgain = alike.length > 1;
    if (last === undefined) return [];
    return [{ check, spells: alike, last, isAgain, isOver: isWell && !isAgain }];
  });
}

function sightingOf(alike: readonly Shown[]): Sighting | null {
  const [first] = alike;
  if (first === undefined) return null;
  const { last, isAgain, isOver } = first;
  const spells = alike.flatMap((each) => each.spells);
  const paths = alike.map(({ check }) => ROUTES[check]).join(", ");
  const what = `GET ${paths}: ${last.why}`;
  const promises = new Set(alike.flatMap((each) => each.last.promises));
  return {
    cause: causeOfCheck(last.outcome),
    canary: null,
    sinceMs: Math.min(...spells.map(({ sinceMs }) => sinceMs)),
    lastAtMs: Math.max(...spells.map(({ lastAtMs }) => lastAtMs)),
    times: spells.reduce((sum, { times }) => sum + times, 0),
    details: isAgain ? [`${what} (not always)`] : [what],
    jobIds: [],
    broken: [...promises].map((promise) => causeOfPromise(promise).title),
    isOver,
    isAgain,
  };
}

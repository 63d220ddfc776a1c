/**
 * What the page says of the API checks, by the rule of canaries: the failures since the last
 * success stand, and so does what failed again within ten minutes. Where one replica of several is
 * broken, most checks are well, and what woke somebody is not about these.
 */

import type { PromiseId } from "../../contract/promises.ts";
import { ROUTES } from "../../contract/routes.ts";
import type { ApiCheck, ProbeEvent } from "../events.ts";
import { causeOfCheck } from "./causes.ts";
import type { Sighting } from "./problems.ts";
import { NOTICE_MS } from "./view.ts";

type CheckEvent = Extract<ProbeEvent, { type: "api-check" }>;

/** Failures in a row. */
interface Spell {
  outcome: CheckEvent["outcome"];
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
}

export class FailingChecks {
  readonly #checked = new Map<ApiCheck, Checked>();

  apply({ check, outcome, why, promises }: CheckEvent, nowMs: number): void {
    const { spells, isWell } = this.#checked.get(check) ?? { spells: [], isWell: true };
    const news = spells.filter(({ lastAtMs }) => nowMs - lastAtMs < NOTICE_MS);
    if (why === null) return void this.#checked.set(check, { spells: news, isWell: true });
    const lasting = isWell ? undefined : spells.at(-1);
    const spell: Spell = {
      outcome,
      sinceMs: lasting?.sinceMs ?? nowMs,
      lastAtMs: nowMs,
      times: (lasting?.times ?? 0) + 1,
      why,
      promises,
    };
    const before = news.filter((each) => each !== lasting);
    this.#checked.set(check, { spells: [...before, spell], isWell: false });
  }

  sightings(nowMs: number): readonly Sighting[] {
    return [...this.#checked].flatMap(([check, checked]) => sightingOf(check, checked, nowMs));
  }
}

function sightingOf(check: ApiCheck, { spells, isWell }: Checked, nowMs: number): Sighting[] {
  const shown = spells.filter(
    (each) => nowMs - each.lastAtMs < NOTICE_MS || (!isWell && each === spells.at(-1)),
  );
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isAgain = shown.length > 1;
  const what = `GET ${ROUTES[check]}: ${last.why}`;
  return [
    {
      cause: causeOfCheck(last.outcome),
      canary: null,
      sinceMs: first.sinceMs,
      lastAtMs: last.lastAtMs,
      times: shown.reduce((sum, { times }) => sum + times, 0),
      details: isAgain ? [`${what} (not always)`] : [what],
      jobIds: [],
      promises: last.promises,
      isOver: isWell && !isAgain,
    },
  ];
}

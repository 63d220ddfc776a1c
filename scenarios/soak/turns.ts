/**
 * After the load: fresh jobs, one at a time, beside those that still stand in the queue. That some
 * were overtaken under load says nothing, as a queue may have any order while there is a backlog.
 */

import { TURNS_ENOUGH } from "../../contract/judges/job/never-lost.ts";
import { delay, now } from "../lib/clock.ts";
import type { Entry } from "./ledger.ts";
import type { MixPart } from "./mix.ts";
import type { Soak } from "./soak.ts";
import { clockOf } from "./soak.ts";
import { send } from "./submitter.ts";
import { deadlineOf } from "./timing.ts";

/** Ours: a queue without a backlog takes up whatever stands in it within this time. */
const QUIET_MS = { realTime: 5_000, scaled: 1_000 };
const LOOK_MS = 50;

/** Identifiers of the workers whose fresh jobs all ended, while jobs given here still waited. */
export async function takeTurns(
  soak: Soak,
  waiting: readonly Entry[],
  untilMs: number,
): Promise<ReadonlySet<string>> {
  const workers = [...new Set(waiting.map(({ mixPart }) => mixPart.worker.id))];
  const passing = await Promise.all(
    workers.map(async (id, index) => {
      const own = waiting.filter(({ mixPart }) => mixPart.worker.id === id);
      return (await takeTurnsOf(soak, own, `turn${index}`, untilMs)) ? [id] : [];
    }),
  );
  return new Set(passing.flat());
}

async function takeTurnsOf(
  soak: Soak,
  waiting: readonly Entry[],
  name: string,
  untilMs: number,
): Promise<boolean> {
  const [first] = waiting;
  if (first === undefined) return false;
  const { key, mixPart } = first;
  soak.context.note(
    `jobs of worker "${mixPart.worker.id}" that stood in the queue long after the load: ` +
      `${waiting.length}; up to ${TURNS_ENOUGH} fresh ones show whether these are passed over`,
  );
  for (let turn = 1; turn <= TURNS_ENOUGH; turn += 1) {
    await delay(QUIET_MS[clockOf(soak)]);
    if (now() > untilMs || waiting.every(({ end }) => end !== null)) return false;
    const mark = `${name}-${turn}`;
    const entry = send(soak, { mixPart: uncancelled(mixPart), key, mark, third: 2 });
    if (entry === "none" || entry === "later") return false;
    while (!entry.isClosed && now() < Math.min(untilMs, deadlineOf(soak, entry))) {
      await delay(LOOK_MS);
    }
    if (!entry.isClosed || entry.end === null) return false;
  }
  return true;
}

/** A job that is cancelled has no turn. */
function uncancelled(mixPart: MixPart): MixPart {
  return mixPart.part === "cancel" ? { ...mixPart, part: "slow" } : mixPart;
}

/**
 * After the load: fresh jobs, one at a time, beside those that still stand in the queue. That some
 * were overtaken under load says nothing, as a queue may have any order while there is a backlog.
 */

import { TURNS_ENOUGH } from "../../contract/judges/job/never-lost.ts";
import type { MixPart } from "../../contract/run/load-mix.ts";
import { takeTurns } from "../client/turns.ts";
import { pollUntil } from "../world/poll-until.ts";
import type { Entry } from "./followed/ledger.ts";
import { lineOf } from "./followed/ledger.ts";
import { deadlineOf } from "./followed/timing.ts";
import { send } from "./offered/submitter.ts";
import type { Soak } from "./soak.ts";

/** Ours: a queue without a backlog takes up whatever stands in it within this time. */
const QUIET_MS = 5_000;
const POLL_MS = 50;

/** The lines whose fresh jobs all ended, while jobs given here still waited. */
export async function letTurns(
  soak: Soak,
  waiting: readonly Entry[],
  untilMs: number,
): Promise<ReadonlySet<string>> {
  const lines = [...new Set(waiting.map(lineOf))];
  const passing = await Promise.all(
    lines.map(async (line, index) => {
      const own = waiting.filter((entry) => lineOf(entry) === line);
      return (await letTurnsOf(soak, own, `turn${index}`, untilMs)) ? [line] : [];
    }),
  );
  return new Set(passing.flat());
}

async function letTurnsOf(
  soak: Soak,
  waiting: readonly Entry[],
  name: string,
  untilMs: number,
): Promise<boolean> {
  const { world } = soak.context;
  const [first] = waiting;
  if (first === undefined) return false;
  const { key, mixPart } = first;
  soak.context.note(
    `jobs of worker "${mixPart.worker.id}" that stood in the queue long after the load: ` +
      `${waiting.length}; up to ${TURNS_ENOUGH} fresh ones show whether these are passed over`,
  );
  return await takeTurns(async (turn) => {
    await world.delay(QUIET_MS);
    if (world.now() > untilMs || waiting.every(({ end }) => end !== null)) return false;
    const mark = `${name}-${turn}`;
    const entry = send(soak, { mixPart: uncancelled(mixPart), key, mark, third: 2 });
    if (entry === "none" || entry === "later") return false;
    const isTooLate = () => world.now() >= deadlineOf(soak, entry);
    await pollUntil(world, {
      ask: () => entry.isClosed || isTooLate(),
      isEnough: (isOver) => isOver,
      untilMs,
      waitMs: () => POLL_MS,
    });
    return entry.isClosed && entry.end !== null;
  });
}

/** A job that is cancelled has no turn. */
function uncancelled(mixPart: MixPart): MixPart {
  return mixPart.part === "cancel" ? { ...mixPart, part: "slow" } : mixPart;
}

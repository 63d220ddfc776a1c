/**
 * Ends that a webhook told and the job endpoint does not show: they are asked for once more when
 * the load is over, as a view may lag behind while there is much to do. Spec §6.
 */

import { jobIn } from "../../../contract/decode/job.ts";
import { LIST_LAG_MS_MAX } from "../../../contract/judges/job/lists/list-limit.ts";
import { addViolation } from "../../../contract/judges/load/violations.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { isTerminal } from "../../../contract/states.ts";
import { delayUntil } from "../../world/world.ts";
import { askFor, eachByKey } from "../offered/requests.ts";
import type { Soak } from "../soak.ts";
import type { Entry } from "./ledger.ts";
import { exchangesOf } from "./ledger.ts";

/** Ours: more of them tell nothing new. */
const UNSHOWN_MAX = 50;
/** Ours: as of job lists, no view of a job lags behind for longer. */
const SHOWN_WITHIN_MS = LIST_LAG_MS_MAX;

/** The last of several polls of a job whose end a webhook has told. */
export function keepUnshown({ bystander }: Soak, entry: Entry, poll: Exchange): void {
  const isTold = entry.told !== null && entry.toldAtMs !== null;
  if (!isTold || bystander.unshown.length >= UNSHOWN_MAX || openStatusOf(poll) === null) return;
  bystander.unshown.push(entry);
}

/** When the load is over, and any view must have come to show them. */
export async function holdUnshown(soak: Soak): Promise<void> {
  const { unshown } = soak.bystander;
  const { untruthful } = soak.tally.deliveries;
  if (unshown.length === 0) return;
  const latestMs = Math.max(...unshown.map(({ toldAtMs }) => toldAtMs ?? 0));
  await delayUntil(soak.context.world, latestMs + SHOWN_WITHIN_MS);
  await eachByKey(soak, unshown, {
    isOver: () => false,
    act: async (entry) => {
      const poll = await askFor(soak, entry);
      const status = openStatusOf(poll);
      const afterMs = poll.sentAtMs - (entry.toldAtMs ?? poll.sentAtMs);
      if (status === null) return;
      const told = `${entry.id}: its webhook told that it was ${entry.end?.statusText}`;
      const what = `${told}, and ${Math.round(afterMs / 100) / 10} s later it is ${status}`;
      addViolation(untruthful, { what, exchanges: [...exchangesOf(entry), poll] });
    },
  });
}

/** Of a job that is shown under way; null where it is not, or nothing can be read. */
function openStatusOf(poll: Exchange): string | null {
  const job = jobIn(poll);
  return job?.state == null || isTerminal(job.state) ? null : job.statusText;
}

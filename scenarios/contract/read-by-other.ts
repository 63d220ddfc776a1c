/**
 * Asks once whether another account's key can read a job whose identifier it knows. The spec says
 * nothing of that, so it is noted and not judged; what one's list shows is job.list-own's.
 */

import { jobIn } from "../../contract/decode/job.ts";
import { routePath } from "../../contract/requests/routes.ts";
import type { Context } from "../client/context.ts";

/** An ended job where there is one: that shows its result as well. None without a job. */
export async function noteReadByOther(context: Context, key: string): Promise<void> {
  const issued = context.jobs.filter(({ issuedId }) => issuedId !== null);
  const job = issued.find(({ end }) => end !== null) ?? issued.at(-1);
  const parameter = job?.issuedId;
  if (job === undefined || parameter == null) return;
  const exchange = await context.ask({ method: "GET", route: "job", parameter, key });
  const shown = jobIn(exchange);
  // Some name a job otherwise than when they accepted it.
  const names = [parameter, jobIn(job.polls.at(-1))?.id];
  if (shown === null || !names.includes(shown.id)) return;
  context.note(
    `${key}, a key of another account, can read a job by its identifier: ` +
      `GET ${routePath("job", parameter)} got ${exchange.status}. The interface does not say ` +
      "whether it may, so this breaks no promise",
  );
}

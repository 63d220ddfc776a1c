/** After a load: whether what was refused before it is refused still. Spec §4.4, §5. */

import type { RefusalsAfter } from "../../contract/judges/steps.ts";
import type { Context } from "../client/context.ts";
import { madeUpJobId } from "../client/made-up.ts";
import type { Soak } from "../load/soak.ts";

/** Ours: one may be refused by chance where a service lets some through. */
const REQUESTS = 3;

export async function askForRefusals(context: Context, { tally }: Soak): Promise<RefusalsAfter> {
  const { caller: key, random } = context;
  const issued = tally.starts.find(({ issuedId }) => issuedId !== null)?.issuedId ?? null;
  const ids = Array.from({ length: REQUESTS }, () => madeUpJobId(random, issued));
  const [withoutKey, unknownJobs] = await Promise.all([
    Promise.all(
      ids.map(async () => {
        const asked = await context.askAgain({ method: "GET", route: "me", key: null });
        return { what: "me without a key", ...asked };
      }),
    ),
    Promise.all(
      ids.map(async (parameter) => {
        const asked = await context.askAgain({ method: "GET", route: "job", parameter, key });
        return { what: "an unknown job", ...asked };
      }),
    ),
  ]);
  return { withoutKey, unknownJobs };
}

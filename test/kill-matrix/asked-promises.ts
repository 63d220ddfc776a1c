/** Which promises a script is asked to judge. */

import type { PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";

/** Promise ids and groups, comma separated; null, which is all of them, when left out. */
export function askedPromises(list: string | undefined): readonly PromiseId[] | null {
  if (list === undefined) return null;
  const names = list.split(",");
  const ids = PROMISE_IDS.filter((id) => names.includes(id) || names.includes(groupOf(id)));
  if (ids.length === 0) throw new Error(`--promises ${list}: expected promise ids or groups`);
  return ids;
}

/** job.list-own after a load: a key's list shows the latest of its own jobs. Spec §4.5. */

import type { Claim } from "../../judging/claim.ts";
import { countedClaim } from "../../judging/claim.ts";
import type { ListAfter } from "../steps.ts";
import { keptBack, LAGS, leftOut } from "./list-limit.ts";
import { listedIds } from "./list-own.ts";

export function listAfterClaim(seen: ListAfter): Claim {
  const { key, list, own, foreignIds } = seen;
  const ids = new Set(listedIds(list));
  const leaked = foreignIds.find((id) => ids.has(id));
  const left = keptBack(list, own);
  const exchanges = [list];
  const submission = seen.leftOut === null ? [] : [seen.leftOut];
  const strange = `${key} lists job ${leaked} of another account; promised the caller's own`;
  const missing = `job ${left} of ${key} is not in its list, although an older one is, or none`;
  const good = own.filter(({ id }) => ids.has(id)).length;
  return countedClaim({
    promise: "job.list-own",
    faults: [
      ...(leaked === undefined ? [] : [{ what: strange, exchanges }]),
      ...(left === null
        ? []
        : [{ what: `${missing}; promised the recent jobs`, exchanges: [...submission, list] }]),
    ],
    open: left === null && leftOut(list, own) !== null ? [{ what: LAGS, exchanges }] : [],
    good,
    of: "jobs",
    kept: `${good} jobs of ${key} are listed, and none of another account's`,
    without: "no job of the load is listed",
  });
}

/**
 * Joins what several shards of one scenario observed, so that it is judged as one. The order of
 * shards changes the order of what is listed, and nothing else.
 */

import { mergeAccounts } from "../judges/load/accounting/readings.ts";
import { mergeLoads } from "../judges/load/tally.ts";
import type { Observation, ObservationKind, ObservationValues } from "./observation.ts";
import { valuesOf } from "./observation.ts";

type Join<Kind extends ObservationKind> = (
  a: ObservationValues[Kind],
  b: ObservationValues[Kind],
) => ObservationValues[Kind];

/** `each`: a thing of its own, of which there are many; else how two become one. */
const JOINS: { readonly [Kind in ObservationKind]: "each" | Join<Kind> } = {
  nothing: "each",
  failure: "each",
  "contract.account": "each",
  "contract.workers": "each",
  "contract.publish": "each",
  "contract.refusals": "each",
  "contract.auth": "each",
  "contract.control-parameters": "each",
  "contract.asynchronous": "each",
  "contract.unknown-jobs": "each",
  "contract.list-own": "each",
  "contract.list-limit": "each",
  "contract.listed": "each",
  "contract.cancel": "each",
  "contract.job": "each",
  "contract.paced": "each",
  "contract.reads": "each",
  "contract.refused-keys": "each",
  "rate.key": "each",
  "rate.watch": "each",
  "rate.isolation": "each",
  "rate.rejected": (a, b) => ({
    rounds: [...a.rounds, ...b.rounds],
    reason: bothOf(a.reason, b.reason),
  }),
  "webhook.case": "each",
  "webhook.unasked": "each",
  "webhook.poor": "each",
  "webhook.around": (a, b) => ({
    lagMs: Math.max(a.lagMs, b.lagMs),
    pushedOut: {
      deliveries: a.pushedOut.deliveries + b.pushedOut.deliveries,
      tokens: a.pushedOut.tokens + b.pushedOut.tokens,
    },
    ...(a.limits || b.limits ? { limits: { ...b.limits, ...a.limits } } : {}),
  }),
  "timeout.trial": (a, b) => ({
    worker: a.worker < b.worker ? a.worker : b.worker,
    limitSeconds: Math.min(a.limitSeconds, b.limitSeconds),
    beyond: [...a.beyond, ...b.beyond],
    below: [...a.below, ...b.below],
    balances: [...a.balances, ...b.balances],
    lagMs: Math.max(a.lagMs, b.lagMs),
    without: bothOf(a.without, b.without),
  }),
  "soak.load": mergeLoads,
  "soak.job-lists": (a, b) => [...a, ...b],
  "soak.files": (a, b) => [...a, ...b],
  "soak.unfiled": (a, b) => [...a, ...b],
  "soak.account-reads": (a, b) => [...a, ...b],
  "soak.answers": "each",
  "soak.accounts": mergeAccounts,
  "soak.press": "each",
  "soak.traces": "each",
};

/** By kind, in the order in which kinds first came. */
export function mergeObservations(
  ...shards: readonly (readonly Observation[])[]
): readonly Observation[] {
  const all = shards.flat();
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => joined(kind, all));
}

function joined<Kind extends ObservationKind>(
  kind: Kind,
  all: readonly Observation[],
): readonly Observation[] {
  const join = JOINS[kind] as "each" | Join<Kind>;
  const values = valuesOf(all, kind);
  const kept = join === "each" ? values : [values.reduce(join)];
  return kept.map((value) => ({ kind, value }) as Observation);
}

/** Two reasons in one sentence, in an order of their own; one that is empty says nothing. */
function bothOf(a: string, b: string): string {
  const reasons = [...a.split("; "), ...b.split("; ")].filter((each) => each !== "");
  return [...new Set(reasons)].sort().join("; ");
}

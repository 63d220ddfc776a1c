/**
 * The permitted side effects: promises that can't but break with a fault of another one, each with
 * its reason. Whatever breaks and is not listed here is a false alarm.
 */

import type { PromiseId } from "../../contract/promises.ts";
import type { Fault } from "../../reference/faults/fault.ts";

interface Companionship {
  /** Names of faults; all of a promise where it ends in "/". */
  faults: readonly string[];
  promises: readonly PromiseId[];
  /** The end of a sentence that begins with "because". */
  reason: string;
}

export const COMPANIONSHIPS: readonly Companionship[] = [
  {
    faults: ["auth.missing-key/served"],
    promises: ["auth.every-endpoint"],
    reason: "an endpoint that serves strangers is one of all endpoints",
  },
  {
    faults: ["auth.invalid-key/served"],
    promises: ["rate.per-key"],
    reason: "an unknown key that is taken for another one uses up that one's limit",
  },
  {
    faults: ["job.shape/mixed-variants"],
    promises: ["job.known-states"],
    reason: "a job shown in the other variant's words has a state of unknown spelling",
  },
  {
    faults: ["timeout.fires/", "timeout.not-early/", "timeout.not-late/", "timeout.free/"],
    promises: ["timeout.under-load"],
    reason: "what the limits of single jobs do, those of many do as well",
  },
  {
    faults: ["timeout.fires/"],
    promises: ["load.throughput"],
    reason: "a job that ends otherwise than it should is not completed",
  },
  {
    faults: ["submit.asynchronous/waits-for-the-run", "submit.asynchronous/waits-for-half"],
    promises: ["load.latency", "load.errors"],
    reason: "an answer that waits for a run is late, and comes to nobody after a long one",
  },
  {
    faults: ["timeout.fires/runs-on"],
    promises: ["load.stable"],
    reason: "a job that is not stopped holds its place, and those behind it wait longer and longer",
  },
  {
    faults: ["cancel.queued/"],
    promises: ["load.latency"],
    reason: "a cancelled job that runs all the same takes the place of those behind it",
  },
  {
    faults: ["job.timestamps/in-the-future"],
    promises: ["load.latency", "job.run-once"],
    reason: "a start that is told too late is a wait too long, and another start than before",
  },
  {
    faults: ["job.cost/negative"],
    promises: ["load.accounting"],
    reason: "the balance does not follow a cost below zero",
  },
  {
    faults: ["auth.invalid-key/served"],
    promises: ["rate.burst"],
    reason: "requests with unknown keys draw on the allowance of the key that they are served for",
  },
  {
    faults: [
      "job.never-lost/1-in-5-gone-after-30-s",
      "job.never-lost/vanishes-later",
      "job.never-lost/failed-vanishes",
      "job.never-lost/timeout-vanishes",
    ],
    promises: ["cancel.not-terminal"],
    reason: "a job that can't be found any more is not as it was after a cancel",
  },
  {
    faults: ["rate.all-endpoints/each-connection"],
    promises: ["rate.limited"],
    reason:
      "an overload on many connections, each with an allowance of its own, is refused on none",
  },
  {
    faults: ["rate.rejected-not-run/runs"],
    promises: ["submit.rejected-runs-nothing"],
    reason: "a submission that is refused and runs costs what its run costs",
  },
  {
    faults: ["job.duration/1-in-50"],
    promises: ["cancel.queued"],
    reason: "a cancelled job that tells of a run it never had is seen as one that ran",
  },
  {
    faults: ["cancel.not-terminal/"],
    promises: ["job.error-only-on-failure"],
    reason: "a failed job that is told to be cancelled keeps its error",
  },
  {
    faults: [
      "job.terminal-final/result-changes-later",
      "job.terminal-final/result-changes",
      "job.terminal-final/result-differs",
    ],
    promises: ["webhook.result"],
    reason: "a delivery has the result of before the change",
  },
  {
    faults: ["job.own-result/", "job.result-present/"],
    promises: ["webhook.result"],
    reason: "a delivery has the true result, which the job endpoint has not",
  },
  {
    faults: ["submit.accepted-shape/another-worker"],
    promises: ["job.shape"],
    reason: "the job is another worker's than its submission was told",
  },
  {
    faults: ["submit.unique-id/"],
    promises: [
      "job.own-result",
      "job.shape",
      "load.accounting",
      "timeout.not-early",
      "timeout.under-load",
    ],
    reason: "what is read at an identifier of two jobs is what the other one did, and cost",
  },
  {
    faults: ["submit.unique-id/1-in-200-of-an-ended-job", "submit.unique-id/1-in-50-of-any-worker"],
    promises: ["job.never-lost", "job.list-limit", "load.no-losses"],
    reason: "a job of another account is neither found nor listed by who got its identifier",
  },
  {
    faults: ["job.list-limit/older-ones"],
    promises: ["job.list-own"],
    reason: "a list of the oldest jobs lacks those that were just accepted",
  },
  {
    faults: ["submit.rejected-runs-nothing/"],
    promises: ["load.latency"],
    reason: "jobs that nobody was promised take the places of those that wait",
  },
  {
    faults: ["job.run-once/started-again-halfway"],
    promises: ["job.terminal-final", "job.timestamps"],
    reason: "a second run moves the start of a job that has ended, beyond its end",
  },
  {
    faults: ["job.terminal-final/timeout-costs-later"],
    promises: ["timeout.free"],
    reason: "a timeout that is charged later is charged",
  },
  {
    faults: ["job.terminal-final/end-moves", "cancel.queued/has-a-run"],
    promises: ["job.duration"],
    reason: "the run that is told does not fit between start and end any more",
  },
];

/** The promises that may break with the fault, with the reason of each; none with a near miss. */
export function companionsOf(fault: Fault): ReadonlyMap<PromiseId, string> {
  if (fault.nearMiss) return new Map();
  const named = COMPANIONSHIPS.filter(({ faults }) => faults.some((name) => matches(fault, name)));
  const given = (fault.companions ?? []).map((id) => [id, "as the fault's file says"] as const);
  return new Map([
    ...given,
    ...named.flatMap(({ promises, reason }) => promises.map((id) => [id, reason] as const)),
  ]);
}

function matches(fault: Fault, name: string): boolean {
  return name.endsWith("/") ? fault.name.startsWith(name) : fault.name === name;
}

/** As a section of a document. */
export function companionList(): string {
  const lines = COMPANIONSHIPS.map(({ faults, promises, reason }) => {
    const names = faults.map((name) => `\`${name.endsWith("/") ? `${name}*` : name}\``);
    return `| ${names.join(", ")} | ${promises.join(", ")} | ${reason} |`;
  });
  return [
    "## Permitted side effects",
    "",
    "| fault | breaks, too | because |",
    "|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

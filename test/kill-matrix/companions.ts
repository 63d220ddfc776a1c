/**
 * The permitted side effects: promises that can't but break with a fault of another one, each with
 * its reason. Whatever breaks and is not listed here is a false alarm.
 */

import type { PromiseId } from "../../contract/promises.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { markdownTable } from "../../report/text.ts";

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
    reason: "an endpoint that serves requests without a key is one that this promise covers",
  },
  {
    faults: ["auth.every-endpoint/cached-for-anybody"],
    promises: ["auth.invalid-key", "auth.revoked-key"],
    reason: "what a cache keeps goes to whoever asks, with whatever key or none",
  },
  {
    faults: ["auth.invalid-key/served"],
    promises: ["rate.per-key"],
    reason: "an unknown key that is accepted as another key uses up that key's limit",
  },
  {
    faults: ["load.errors/unknown-key-1-in-50"],
    promises: ["account.readable"],
    reason: "a key that now and then is said to be none is so while its limits are measured, too",
  },
  {
    faults: ["job.shape/mixed-variants"],
    promises: ["job.known-states"],
    reason: "a job in the other variant's format has a state that is unknown in this one",
  },
  {
    faults: ["job.terminal-final/cost-grows"],
    promises: ["webhook.truthful"],
    reason: "what was delivered at the job's end tells the cost that it had then",
  },
  {
    faults: ["job.forward-only/kept-as-first-read"],
    promises: ["cancel.queued", "job.never-lost", "timeout.fires"],
    reason: "a job that is shown as it was read first never ends, nor is cancelled or timed out",
  },
  {
    faults: ["job.never-lost/vanishes"],
    promises: ["load.stable"],
    reason: "a job that can't be found counts as under way until it counts as lost",
  },
  {
    faults: ["job.shape/submitted-5-s-early"],
    promises: ["timeout.not-late", "timeout.under-load"],
    reason: "variant A tells no start, so a job that ends on time seems to have run for longer",
  },
  {
    faults: ["timeout.fires/", "timeout.not-early/", "timeout.not-late/", "timeout.free/"],
    promises: ["timeout.under-load"],
    reason: "a run limit that is wrong for single jobs is also wrong for many",
  },
  {
    faults: ["timeout.not-late/", "timeout.under-load/late"],
    promises: ["timeout.fires"],
    reason: "a job that is stopped late may complete before it is",
  },
  {
    faults: ["job.never-lost/vanishes-later", "job.never-lost/failed-vanishes"],
    promises: ["load.no-losses"],
    reason: "a load that reads a job again, as its cost is told late, finds it no more",
  },
  {
    faults: [
      "job.terminal-final/cost-grows",
      "job.terminal-final/1-in-5-dearer",
      "job.terminal-final/1-in-20-dearer",
    ],
    promises: ["load.accounting"],
    reason: "a cost that grows after the charge is not what the balance fell by",
  },
  {
    faults: ["job.terminal-final/timeout-becomes-failed"],
    promises: ["webhook.truthful"],
    reason: "a webhook that comes some seconds after the end tells the state before the change",
  },
  {
    faults: ["timeout.fires/runs-on", "job.run-once/started-again-halfway"],
    promises: ["load.latency"],
    reason: "a run that takes longer keeps its slot, and the jobs behind it wait",
  },
  {
    faults: ["job.run-once/started-again-halfway"],
    promises: ["timeout.not-early", "timeout.under-load"],
    reason: "a job that is started again tells its second start, and not how long it ran before",
  },
  {
    faults: ["job.forward-only/"],
    promises: ["job.run-once", "cancel.queued"],
    reason:
      "a job that is shown waiting once more seems to be started twice, or to ignore a cancel",
  },
  {
    faults: ["job.shape/submitted-5-s-early", "job.shape/1-in-50-submitted-before"],
    promises: ["webhook.not-before-terminal"],
    reason: "a job whose times do not agree seems to end later than it did",
  },
  {
    faults: ["job.unknown/answers-400"],
    promises: ["job.never-lost", "cancel.queued"],
    reason: "a part of the service that does not know a job yet answers polls and cancels alike",
  },
  {
    faults: [
      "job.terminal-final/cost-grows",
      "job.terminal-final/1-in-5-dearer",
      "job.terminal-final/1-in-20-dearer",
    ],
    promises: ["cancel.not-terminal"],
    reason: "the cost grows while a cancel of the ended job is tried",
  },
  {
    faults: ["job.terminal-final/timeout-costs-later"],
    promises: ["timeout.under-load", "load.accounting"],
    reason: "a load reads timed-out jobs again where costs are told late, and nothing is charged",
  },
  {
    faults: ["job.same-id/1-in-50-of-another"],
    promises: ["job.own-result", "webhook.result", "webhook.truthful", "cancel.not-terminal"],
    reason: "another job's object has another job's result and state",
  },
  {
    faults: ["job.timestamps/1-in-50"],
    promises: ["job.duration"],
    reason: "times in the wrong order leave no room for the run",
  },
  {
    faults: ["job.never-lost/latest-500-only"],
    promises: ["load.no-losses"],
    reason: "a load reads jobs again whose cost is told late, when later ones have pushed them out",
  },
  {
    faults: ["job.timestamps/out-of-order"],
    promises: ["job.shape"],
    reason: "a submission that is stated after the start is not the one that was accepted",
  },
  {
    faults: ["job.timestamps/in-the-future"],
    promises: ["webhook.not-before-terminal"],
    reason: "a webhook comes before an end that is stated too late",
  },
  {
    faults: ["job.run-once/1-in-12-starts-two-jobs"],
    promises: ["webhook.recovers"],
    reason: "the second job has deliveries of its own at the same address",
  },
  {
    faults: ["timeout.fires/cancelled"],
    promises: ["cancel.not-running"],
    reason: "a job that was asked to stop, and ends as cancelled at its limit, seems to obey",
  },
  {
    faults: ["timeout.fires/runs-on"],
    promises: ["job.never-lost", "load.no-losses"],
    reason: "a job that is not stopped does not end",
  },
  {
    faults: ["webhook.not-before-terminal/at-the-start"],
    promises: ["load.accounting"],
    reason: "a delivery before the run states a cost that the run changes",
  },
  {
    faults: ["webhook.not-before-terminal/at-the-start"],
    promises: ["webhook.body"],
    reason: "what is sent as a run starts is dated by the start, though it tells of an end",
  },
  {
    faults: ["rate.within-plan/false-429"],
    promises: ["rate.all-endpoints"],
    reason: "a key that is refused by chance seems exhausted where it is not",
  },
  {
    faults: ["load.no-losses/at-the-end"],
    promises: ["cancel.queued"],
    reason: "a job that is lost while it waits is not cancelled either",
  },
  {
    faults: ["job.unknown/"],
    promises: ["load.errors"],
    reason: "a load asks for jobs before each part of the service knows them",
  },
  {
    faults: ["timeout.fires/"],
    promises: ["load.throughput"],
    reason: "a job that ends in another state than it should is not completed",
  },
  {
    faults: ["submit.asynchronous/waits-for-the-run", "submit.asynchronous/waits-for-half"],
    promises: ["load.latency", "load.errors"],
    reason:
      "a response that waits for the run is late, and after a long run no client waits for it",
  },
  {
    faults: ["timeout.fires/runs-on"],
    promises: ["load.stable"],
    reason:
      "a job that is not stopped keeps its slot, and the jobs behind it wait longer and longer",
  },
  {
    faults: ["cancel.queued/completes-unseen"],
    promises: ["load.accounting", "webhook.truthful"],
    reason:
      "a job that was shown as cancelled, and runs, is charged, and its webhook says completed",
  },
  {
    faults: ["cancel.queued/"],
    promises: ["load.latency"],
    reason: "a cancelled job that runs anyway takes the slot of the jobs behind it",
  },
  {
    faults: ["job.timestamps/in-the-future"],
    promises: ["load.latency", "job.run-once"],
    reason: "a start that is stated too late means a longer wait, and differs from the one before",
  },
  {
    faults: ["submit.rejected-runs-nothing/"],
    promises: ["load.accounting"],
    reason: "submissions are refused during the load, too, and no job of it costs what they do",
  },
  {
    faults: ["job.cost/negative"],
    promises: ["load.accounting"],
    reason: "the balance does not follow a negative cost",
  },
  {
    faults: [
      "auth.invalid-key/served",
      "auth.invalid-key/cut-accepted",
      "auth.invalid-key/first-half-enough",
      "auth.invalid-key/second-half-enough",
      "auth.invalid-key/form-enough",
    ],
    promises: ["rate.burst", "rate.sustained"],
    reason: "requests with unknown keys use the limit of the key that they are accepted as",
  },
  {
    faults: [
      "job.never-lost/1-in-5-gone-after-30-s",
      "job.never-lost/vanishes-later",
      "job.never-lost/failed-vanishes",
      "job.never-lost/timeout-vanishes",
    ],
    promises: ["cancel.not-terminal"],
    reason: "a job that can't be found any more has changed after a cancel request",
  },
  {
    faults: ["rate.all-endpoints/each-connection"],
    promises: ["rate.limited"],
    reason: "an overload on many connections is rejected on none if each has a limit of its own",
  },
  {
    faults: ["rate.rejected-not-run/runs"],
    promises: ["submit.rejected-runs-nothing"],
    reason: "a submission that is rejected and runs anyway is charged",
  },
  {
    faults: ["job.duration/1-in-50"],
    promises: ["cancel.queued"],
    reason: "a cancelled job that states a run that never happened looks like one that ran",
  },
  {
    faults: ["cancel.not-terminal/"],
    promises: ["job.error-only-on-failure"],
    reason: "a failed job that is shown as cancelled keeps its error",
  },
  {
    faults: [
      "job.terminal-final/result-changes-later",
      "job.terminal-final/result-changes",
      "job.terminal-final/result-differs",
      "job.terminal-final/long-result-evicted",
    ],
    promises: ["webhook.result"],
    reason: "a delivery contains the result from before the change",
  },
  {
    faults: ["job.own-result/", "job.result-present/"],
    promises: ["webhook.result"],
    reason: "a delivery contains the true result, and the job endpoint does not",
  },
  {
    faults: ["submit.missing-field/"],
    promises: ["submit.schema-violation"],
    reason: "a field that is missing in an object within the input violates its schema as well",
  },
  {
    faults: ["submit.accepted-shape/another-worker"],
    promises: ["job.shape"],
    reason: "the job belongs to another worker than the response to the submission stated",
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
    reason: "an identifier shared by two jobs returns the state and cost of the other job",
  },
  {
    faults: ["submit.unique-id/1-in-200-of-an-ended-job", "submit.unique-id/1-in-50-of-any-worker"],
    promises: ["job.never-lost", "job.list-limit", "job.list-own", "load.no-losses"],
    reason:
      "a job of another account is neither found nor listed for the caller that got its identifier",
  },
  {
    faults: ["submit.unique-id/repeated"],
    promises: ["job.list-own"],
    reason: "a job of another account is not listed for the caller that got its identifier",
  },
  {
    faults: ["submit.control-parameters/webhook-against-schema"],
    promises: ["submit.insufficient-credits"],
    reason: "a body that is refused for its webhook is refused before anybody asks for credits",
  },
  {
    faults: ["rate.sustained/anew-each-minute"],
    promises: ["rate.burst"],
    reason: "two allowances are admitted within a second where one minute ends",
  },
  {
    faults: ["rate.sustained/free-second"],
    promises: ["rate.limited"],
    reason: "an overload that falls into the second without a limit is not rejected",
  },
  {
    faults: ["job.list-limit/older-ones"],
    promises: ["job.list-own"],
    reason: "a list of the oldest jobs lacks the jobs that were just accepted",
  },
  {
    faults: ["submit.rejected-runs-nothing/"],
    promises: ["load.latency"],
    reason: "jobs whose submission was rejected take the slots of those that wait",
  },
  {
    faults: ["job.run-once/started-again-halfway"],
    promises: ["job.terminal-final", "job.timestamps"],
    reason: "a second run moves the start of an ended job beyond its end",
  },
  {
    faults: ["job.terminal-final/timeout-costs-later"],
    promises: ["timeout.free"],
    reason: "a timeout that is charged later is still charged",
  },
  {
    faults: ["job.terminal-final/end-moves", "cancel.queued/has-a-run"],
    promises: ["job.duration"],
    reason: "the stated duration no longer fits between start and end",
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
  const rows = COMPANIONSHIPS.map(({ faults, promises, reason }) => {
    const names = faults.map((name) => `\`${name.endsWith("/") ? `${name}*` : name}\``);
    return [names.join(", "), promises.join(", "), reason];
  });
  const table = markdownTable(["fault", "also breaks", "because"], rows);
  return `## Permitted side effects\n\n${table}\n`;
}

/** Explanations: the life of jobs, their limits, their cancellation. */

import type { OfGroups } from "./explanation.ts";

export const JOBS: OfGroups<"job" | "timeout" | "cancel"> = {
  "job.shape": [
    "Every answer of the job endpoint is decoded; all of a run have to be of one variant.",
    "Old and new replicas side by side, or fields that only ended jobs have.",
    "See in which state the job was, and whether some replicas answer otherwise.",
  ],
  "job.same-id": [
    "The identifier in every job object is compared with the one that was asked for.",
    "A cache with the wrong key, or an internal identifier that leaks.",
    "Ask for the quoted job again, several times: a cache answers by chance.",
  ],
  "job.unknown": [
    "Identifiers that nobody was issued, of the form of issued ones, are asked for: 404.",
    "An empty object with 200, a 500 from the lookup, or a match by prefix.",
    "See which alteration of an issued identifier was found.",
  ],
  "job.never-lost": [
    "Every accepted job is asked for until it ends; none may become unreadable or stay open.",
    "A queue that drops messages, a worker that dies with its job, a view that lags or expires.",
    "Look up the quoted job in queue and store; then at restarts at that time.",
  ],
  "job.known-states": [
    "Every state that is seen has to be one of the variant, in its one spelling.",
    "An internal state that shows, or CANCELLED for CANCELED.",
    "The finding quotes the text; map it before it leaves the service.",
  ],
  "job.forward-only": [
    "The states of each job are followed in the order in which they were read.",
    "Replicas that lag behind each other, or a job that is put back into its queue.",
    "If only views go back, read from one store; if the job ran again, see job.run-once.",
  ],
  "job.terminal-final": [
    "Ended jobs are read again later: state, result, cost and times stay as they were.",
    "A late update of a run that was given up, or a result that is written twice.",
    "Compare the two quoted objects, field by field.",
  ],
  "job.result-present": [
    "Every completed job has its result: result in variant A, output by its kind in variant B.",
    "The state is written before the result, or a large result is dropped.",
    "See whether a later answer has it; then it is an order of writes.",
  ],
  "job.error-only-on-failure": [
    "Failed jobs have an error with code and message; the error of all others is null.",
    "An error of an earlier attempt that stays, or a failure without a message.",
    "See the quoted job's history for retried runs.",
  ],
  "job.timestamps": [
    "All times of a job are UTC, in the order of its life, and not later than the answer.",
    "Machines whose clocks differ, local time, or a time that is set twice.",
    "Compare the clocks of the machines that accept, start and finish jobs.",
  ],
  "job.duration": [
    "The stated duration is compared with the job's times and with when it was seen to end.",
    "Seconds for milliseconds, queue time that is counted, or a clock that is set.",
    "See by which factor it is off.",
  ],
  "job.own-result": [
    "Inputs carry a mark of their own; it has to come back, and no other job's.",
    "Results are cached by too little, or written to a neighbour under load.",
    "Treat it as a leak between accounts until you know better.",
  ],
  "job.run-once": [
    "Each job's starts, ends, costs and deliveries are counted, by its times and the balance.",
    "A message that is delivered twice to workers, or a lease that ends before the run.",
    "Compare the lease of the queue with the longest run.",
  ],
  "job.files": [
    "Every file entry of completed jobs is decoded: id, name, type, size and address.",
    "A size of 0 that is left out, or an address that is not absolute.",
    "The finding names the entry and the field.",
  ],
  "job.files-readable": [
    "Files are downloaded from their address without a key; the size has to be the stated one.",
    "An address that expires too soon, a bucket that asks for a key, a size before compression.",
    "Open the quoted address with curl; see its status and its length.",
  ],
  "job.cost": [
    "Costs are at least 0, their parts add up, and an ended job has one.",
    "Sums of floating point numbers, or a final price that is written later than the state.",
    "See by how much it differs: a rounding or another price.",
  ],
  "job.list-limit": [
    "With more than 100 jobs submitted, the list holds the latest, and not more than 100.",
    "A limit by time in place of by number, an order by end, or no limit.",
    "See which job is missing, and which older one is there.",
  ],
  "job.list-own": [
    "A key's new job appears in its account's list, and in no other account's.",
    "A list by workspace in place of by account, or an index that lags.",
    "Another account's job in the list is a leak: stop and look at the query.",
  ],
  "timeout.fires": [
    "Jobs that run longer than timeout_seconds have to end as timed out.",
    "The limit is checked by the worker itself, which hangs, or the state is failed.",
    "See how the quoted job ended, and when.",
  ],
  "timeout.not-early": [
    "No job is cut off before timeout_seconds have passed since it started.",
    "The limit counts from submission, so that a full queue eats into it.",
    "Compare start and submission of the quoted job with its end.",
  ],
  "timeout.not-late": [
    "Jobs are cut off soon after the limit; how soon is a tolerance of the target file.",
    "A sweep that runs seldom, or one that gets slower with many jobs.",
    "See whether lateness grows with load; then look at the sweep.",
  ],
  "timeout.free": [
    "The cost of each timed-out job is 0, and the balance is as it was.",
    "The price is held at submission and not given back on a timeout.",
    "See whether the job's cost or only the balance is wrong.",
  ],
  "timeout.under-load": [
    "The same as the promises on timeouts, for jobs of the load phase.",
    "Timers that are late on a busy machine, or a sweep in pages.",
    "Compare with timeout.not-late without load.",
  ],
  "cancel.queued": [
    "Queued jobs are cancelled by the target file's request; they end cancelled and never run.",
    "A worker that takes the job in the same moment, or a flag that is read too late.",
    "See whether the job has a start; check cancel.method, too.",
  ],
  "cancel.not-running": [
    "A running job is asked to be cancelled; it has to go on and end by itself.",
    "The service stops running jobs, which the interface does not provide for.",
    "If stopping is wanted, that is a change of the promise, and of its price.",
  ],
  "cancel.not-terminal": [
    "An ended job is asked to be cancelled; state, result and cost stay.",
    "The state is written without a look at the old one.",
    "Make the change conditional on the state.",
  ],
};

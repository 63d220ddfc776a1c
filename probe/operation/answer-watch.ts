/**
 * What the probe's own requests met that no run's verdict tells: a run is a success although its
 * answers took seconds, although polls failed or its submission got no answer, or although the
 * service rejected the key in between.
 */

import { LONGEST_VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import type { Exchange, TransportError } from "../../contract/requests/exchange.ts";
import { errorText, isGone, isSuccess, tookMsOf } from "../../contract/requests/exchange.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { routePath } from "../../contract/requests/routes.ts";
import { answerText, isPageInFront } from "../answer-text.ts";
import type { AnswerFault, Emit } from "../events.ts";
import { isJson, readSubmission, refusal } from "../outcome.ts";
import { spell } from "../spell.ts";
import { AwaitedRuns } from "./awaited-runs.ts";
import { AGAIN_WITHIN_MS, RecurringFaults, SpellOfFaults } from "./fault-spell.ts";
import type { MachineLag } from "./machine-lag.ts";
import { ownFault } from "./runs/doubt.ts";

/** The first of the statuses that say the service failed. Spec §7. */
const SERVER_ERROR = 500;
/** Some deployments serve the worker list to everybody: it tells nothing of a key. Spec §4. */
const MAY_BE_PUBLIC: readonly RouteName[] = ["workers", "worker"];

/** Of what this machine did not send or read nothing is told. */
const UNTOLD_ERRORS: readonly (TransportError | null)[] = ["local", "unread"];

/** Ours: a caller waits, and a packet that was lost once has come by then (RFC 6298: 1 s). */
const SLOW_MS = 2_000;
/** Ours: more jobs than a minute's canaries are; of others a 404 tells nothing. */
const ACCEPTED_MAX = 1_000;

type Answered = Pick<Exchange, "sentAtMs" | "receivedAtMs">;

export class AnswerWatch {
  readonly #emit: Emit;
  readonly #lag: Pick<MachineLag, "since">;
  readonly #awaited = new AwaitedRuns();
  /** When the key was first accepted. */
  #acceptedAtMs = Number.POSITIVE_INFINITY;
  /** Rejections since the key was last accepted. */
  readonly #rejected = new SpellOfFaults();
  #slowAtMs = Number.NEGATIVE_INFINITY;
  /** Requests without an answer since the service last answered. */
  readonly #unanswered = new SpellOfFaults();
  /** Polls that showed no job, by the service's fault or the way's. */
  readonly #failedPolls = new RecurringFaults();
  /** When the newest jobs were accepted, by the paths of their polls. */
  readonly #jobs = new Map<string, number>();
  /** Submissions whose answer named no job, though one may run. */
  readonly #lostSubmissions = new RecurringFaults();

  constructor(emit: Emit, lag: Pick<MachineLag, "since">) {
    this.#emit = emit;
    this.#lag = lag;
  }

  take(exchange: Exchange): void {
    this.#takeKey(exchange);
    this.#takePoll(exchange);
    this.#takeSubmission(exchange);
    // Nearly all of them: nothing is waited for, and no promise made, for an answer in time.
    const isUsual = exchange.error === null && tookMsOf(exchange) < SLOW_MS;
    if (isUsual && exchange.route === "submit") this.#awaited.submitted(exchange, false);
    if (isUsual && !this.#unanswered.isOpen) return;
    // Of a lag that can't be told nothing is said.
    this.#takeTime(exchange).catch(() => {});
  }

  /** A revoked key stays rejected; one that is accepted before and after was never revoked. */
  #takeKey(exchange: Exchange): void {
    if (isPageInFront(exchange)) return;
    const { route, sentAtMs, receivedAtMs } = exchange;
    if (refusal(exchange) === "auth" && sentAtMs >= this.#acceptedAtMs) {
      this.#rejected.add(exchange);
    }
    if (!isSuccess(exchange) || MAY_BE_PUBLIC.includes(route)) return;
    this.#acceptedAtMs = Math.min(this.#acceptedAtMs, receivedAtMs);
    const rejected = this.#rejected.endedBy(exchange);
    if (rejected === null) return;
    const { count, last } = rejected;
    const others = count === 1 ? "" : `; it was the last of ${count} requests in a row`;
    this.#tell("rejected-key", `${nameOf(last)} was ${answerText(last)}${others}`, exchange);
  }

  #takePoll(exchange: Exchange): void {
    if (exchange.route !== "job") return;
    const why = this.#awaited.polled(exchange);
    if (why !== null) this.#tell("awaits-run", why, exchange);
    if (isJson(exchange)) this.#endFailed("failed-polls", this.#failedPolls, exchange);
    else if (this.#isFailed(exchange)) this.#failedPolls.add(exchange);
  }

  /** Whether it shows no job by the fault of the service, or of what is in front of it. */
  #isFailed(poll: Exchange): boolean {
    const isFailed = poll.status >= SERVER_ERROR || isSuccess(poll) || isPageInFront(poll);
    return isFailed || this.#isMissing(poll);
  }

  /** Whether it finds no job where every replica has had the time to know it. */
  #isMissing(poll: Exchange): boolean {
    const acceptedMs = this.#jobs.get(poll.path) ?? Number.POSITIVE_INFINITY;
    return isGone(poll) && poll.sentAtMs > acceptedMs + LONGEST_VIEW_LAG_MS;
  }

  /** One that was refused fails its run; of one whose answer is lost the job may be found. */
  #takeSubmission(exchange: Exchange): void {
    if (exchange.route !== "submit" || exchange.error !== null) return;
    const submitted = readSubmission(exchange);
    if (submitted.kind === "ambiguous") this.#lostSubmissions.add(exchange);
    if (submitted.kind !== "accepted") return;
    this.#endFailed("lost-submissions", this.#lostSubmissions, exchange);
    this.#jobs.set(routePath("job", submitted.jobId.toWellFormed()), exchange.receivedAtMs);
    if (this.#jobs.size <= ACCEPTED_MAX) return;
    for (const oldest of this.#jobs.keys()) {
      this.#jobs.delete(oldest);
      return;
    }
  }

  /** The job of a submission without a usable answer was found: no outage, nor a failed run. */
  found(atMs: number): void {
    const seen = { sentAtMs: atMs, receivedAtMs: atMs };
    this.#endFailed("lost-submissions", this.#lostSubmissions, seen);
  }

  #endFailed(what: AnswerFault, faults: RecurringFaults, answered: Answered): void {
    const failed = faults.endedBy(answered);
    if (failed === null) return;
    const { count, last } = failed;
    const others = count === 1 ? "" : `; it was the last of ${count} such requests in a row`;
    const said = last.error === null ? `was ${answerText(last)}` : `got ${errorText(last.error)}`;
    this.#tell(what, `${nameOf(last)} ${said}${others}`, answered);
  }

  /** A connection that broke off; what this machine stood still for may be its own doing. */
  async #takeBroken(exchange: Exchange): Promise<void> {
    if ((await ownFault({ lag: this.#lag }, exchange)) !== null) return;
    if (exchange.route === "job") this.#failedPolls.add(exchange);
    const isLost = exchange.route === "submit" && readSubmission(exchange).kind === "ambiguous";
    if (isLost) this.#lostSubmissions.add(exchange);
  }

  async #takeTime(exchange: Exchange): Promise<void> {
    const { error, route, sentAtMs } = exchange;
    // What does not come is slow, but for a submission: its job may run unknown to its caller.
    const isUnanswered = error === "timeout" && route !== "submit";
    if (error !== null && !isUnanswered) {
      return UNTOLD_ERRORS.includes(error) ? undefined : await this.#takeBroken(exchange);
    }
    const tookMs = tookMsOf(exchange);
    const isSlow = tookMs >= SLOW_MS && tookMs - (await this.#lag.since(sentAtMs)) >= SLOW_MS;
    if (isSlow && isUnanswered) this.#unanswered.add(exchange);
    if (isUnanswered) return;
    if (isSlow) this.#takeSlow(exchange, tookMs);
    const unanswered = this.#unanswered.endedBy(exchange);
    if (unanswered === null) return;
    const { count, last } = unanswered;
    const waitedMs = last.receivedAtMs - last.sentAtMs;
    this.#slow(count, `${nameOf(last)} was not answered within ${spell(waitedMs)}`, exchange);
  }

  #takeSlow(exchange: Exchange, tookMs: number): void {
    const { route, path } = exchange;
    if (route === "submit") this.#awaited.submitted(exchange, true);
    // Why it is slow is told when its job has ended.
    if (route === "submit" && this.#awaited.isKnown(path)) return;
    this.#slow(1, `${nameOf(exchange)} was answered after ${spell(tookMs)}`, exchange);
  }

  #slow(count: number, why: string, answered: Exchange): void {
    const isAgain = count > 1 || answered.receivedAtMs - this.#slowAtMs < AGAIN_WITHIN_MS;
    this.#slowAtMs = answered.receivedAtMs;
    if (isAgain) this.#tell("slow", why, answered);
  }

  #tell(what: AnswerFault, why: string, { receivedAtMs }: Pick<Exchange, "receivedAtMs">): void {
    this.#emit({ type: "answer-fault", what, why, atMs: receivedAtMs });
  }
}

function nameOf({ method, path }: Exchange): string {
  return `${method} ${path}`;
}

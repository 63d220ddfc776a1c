/**
 * What the probe's own requests met that no run's verdict tells: a run is a success although its
 * answers took seconds, or although the service rejected the key in between.
 */

import type { Exchange } from "../../contract/exchange.ts";
import { isSuccess, tookMsOf } from "../../contract/exchange.ts";
import type { RouteName } from "../../contract/routes.ts";
import type { AnswerFault, Emit } from "../events.ts";
import { spell } from "../spell.ts";
import { AwaitedRuns } from "./awaited-runs.ts";
import type { MachineLag } from "./machine-lag.ts";

/** A key that is missing, invalid or revoked. Spec §5, §7. */
const KEY_REJECTED = 401;
/** Some deployments serve the worker list to everybody: it tells nothing of a key. Spec §4. */
const MAY_BE_PUBLIC: readonly RouteName[] = ["workers", "worker"];

/** Ours: a caller waits, and a packet that was lost once has come by then (RFC 6298: 1 s). */
const SLOW_MS = 2_000;
/** Ours: one slow answer may be the network's; two within this time are a state of affairs. */
const SLOW_WITHIN_MS = 10 * 60_000;

export class AnswerWatch {
  readonly #emit: Emit;
  readonly #lag: Pick<MachineLag, "since">;
  readonly #awaited = new AwaitedRuns();
  /** When the key was first accepted. */
  #acceptedAtMs = Number.POSITIVE_INFINITY;
  /** Rejections since the key was last accepted. */
  #rejected: { count: number; last: Exchange } | null = null;
  #slowAtMs = Number.NEGATIVE_INFINITY;
  /** Requests that no answer came to, until the service answers one again: then it is no outage. */
  #unanswered: { count: number; last: Exchange } | null = null;

  constructor(emit: Emit, lag: Pick<MachineLag, "since">) {
    this.#emit = emit;
    this.#lag = lag;
  }

  take(exchange: Exchange): void {
    this.#takeKey(exchange);
    this.#takePoll(exchange);
    // Nearly all of them: nothing is waited for, and no promise made, for an answer in time.
    const isUsual = exchange.error === null && tookMsOf(exchange) < SLOW_MS;
    if (isUsual && exchange.route === "submit") this.#awaited.submitted(exchange, false);
    if (isUsual && this.#unanswered === null) return;
    // Of a lag that can't be told nothing is said.
    this.#takeTime(exchange).catch(() => {});
  }

  /** A revoked key stays rejected; one that is accepted before and after was never revoked. */
  #takeKey(exchange: Exchange): void {
    const { status, route, sentAtMs, receivedAtMs } = exchange;
    if (status === KEY_REJECTED && sentAtMs >= this.#acceptedAtMs) {
      this.#rejected = { count: (this.#rejected?.count ?? 0) + 1, last: exchange };
    }
    if (!isSuccess(exchange) || MAY_BE_PUBLIC.includes(route)) return;
    this.#acceptedAtMs = Math.min(this.#acceptedAtMs, receivedAtMs);
    const rejected = this.#rejected;
    if (rejected === null || sentAtMs < rejected.last.receivedAtMs) return;
    this.#rejected = null;
    const { count, last } = rejected;
    const what = count === 1 ? "a request was" : `${count} requests were`;
    this.#tell("rejected-key", `${what} answered 401, ${nameOf(last)} last`, exchange);
  }

  #takePoll(exchange: Exchange): void {
    if (exchange.route !== "job") return;
    const why = this.#awaited.polled(exchange);
    if (why !== null) this.#tell("awaits-run", why, exchange);
  }

  async #takeTime(exchange: Exchange): Promise<void> {
    const { error, sentAtMs } = exchange;
    const tookMs = tookMsOf(exchange);
    const isSlow = tookMs >= SLOW_MS && tookMs - (await this.#lag.since(sentAtMs)) >= SLOW_MS;
    if (error === "timeout" && isSlow) {
      this.#unanswered = { count: (this.#unanswered?.count ?? 0) + 1, last: exchange };
    }
    if (error !== null) return;
    if (isSlow) this.#takeSlow(exchange, tookMs);
    const unanswered = this.#unanswered;
    if (unanswered === null || sentAtMs < unanswered.last.receivedAtMs) return;
    this.#unanswered = null;
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
    const isAgain = count > 1 || answered.receivedAtMs - this.#slowAtMs < SLOW_WITHIN_MS;
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

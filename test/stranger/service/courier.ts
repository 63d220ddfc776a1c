/** Webhooks: one message a job, its signature, and the redeliveries. Spec §5.5, §6. */

import { createHmac } from "node:crypto";
import { BentRetries } from "./bent-retries.ts";
import type { Picks } from "./choices.ts";
import type { FaultName } from "./faults/index.ts";
import type { Job, JobState } from "./journal.ts";
import { record, stateAt } from "./journal.ts";
import type { House } from "./ports.ts";
import { asStored } from "./spelt-address.ts";
import { stamp } from "./stamps.ts";
import { jobBody, resultOf, statusWord } from "./views.ts";

/** Spec §6. */
const WAITS_MS = [5_000, 30_000, 300_000];
/** Spec §6. */
const LIMIT_MS = 10_000;
/** Ends of the last seconds with which a fault takes the service for busy. */
const BUSY = { ends: 100, ms: 10_000 };
/** Whose redeliveries go by another way, with faults of its own. */
const MOVED_ACCOUNT = "acc-1";
const LAG_MS = { none: 0, short: 150, long: 1_200 } as const;

export const STRANGER_SECRET = "whsec-of-a-stranger";
/** Whose secret that is, where each account has its own. */
const SECRET_OWNER = "acc-3";

export function secretOf(account: string, { secrets }: Picks): string {
  const isOwner = secrets === "one" || account === SECRET_OWNER;
  return isOwner ? STRANGER_SECRET : `${STRANGER_SECRET}-${account}`;
}

/** Of the key before, while keys are being changed: nobody who has only the new one can read it. */
const OLD_SIGNATURE = "0".repeat(64);

/** What the stranger calls the header of its signature, where it has a name for it. */
export const OWN_HEADER = "X-Stranger-Signature";

interface Parcel {
  job: Job;
  /** The job that was announced before it. */
  previous: Job;
  url: string;
  state: JobState;
  text: string;
}

type Answer = Awaited<ReturnType<House["ports"]["post"]>>;

interface Attempt {
  answer: Answer;
  /** When its turn had come. */
  startMs: number;
}

export class Courier {
  private readonly house: House;
  private readonly sinceMs: number;
  private readonly onRetry: (job: Job) => void;
  private readonly lastUrls = new Map<string, string>();
  private readonly told = new Set<string>();
  private previous: Job | null = null;
  private readonly underWay = new Set<Promise<Attempt>>();
  private lastResult: unknown = {};
  private endsMs: number[] = [];
  private readonly lastEndsMs = new Map<string, number>();
  private readonly failures = new Map<string, number>();
  private readonly bent: BentRetries;
  private inThisSecond = { second: 0, count: 0 };

  constructor(house: House, onRetry: (job: Job) => void) {
    this.house = house;
    this.sinceMs = house.now();
    this.onRetry = onRetry;
    this.bent = new BentRetries(house);
  }

  announce(job: Job, isPolled = false): void {
    const { ports, picks, trouble, now } = this.house;
    const state = stateAt(job, now());
    const isLazy = trouble.has("timeouts-told-once-polled") && state.phase === "timedOut";
    if (isLazy && !isPolled) return;
    const url = this.addressOf(job, state);
    if (url === null || this.told.has(job.id)) return;
    this.told.add(job.id);
    this.endsMs.push(now());
    if (this.isDropped(job, state) || this.isCoalesced(url) || this.isDisabled(url)) return;
    const stored = asStored(url, this.house);
    const parcel = { job, previous: this.previous ?? job, url: stored, state, text: "" };
    this.previous = job;
    ports.clock.after(LAG_MS[picks.webhookLag], () => {
      parcel.text = this.textOf(parcel);
      void this.deliver(parcel, 1);
      if (trouble.has("timed-out-told-twice") && state.phase === "timedOut") {
        ports.clock.after(3_000, () => void this.attempt(parcel, 1));
      }
      if (trouble.strikesJob("delivered-again-by-second-consumer", job)) {
        ports.clock.after(20_000, () => void this.attempt(parcel, 1));
      }
    });
  }

  private addressOf({ webhook, account }: Job, { phase }: JobState): string | null {
    const { trouble } = this.house;
    if (webhook !== null) this.lastUrls.set(account, webhook);
    const isSticky =
      trouble.has("webhook-address-sticks") ||
      (trouble.has("address-sticks-to-failures") && phase === "failed");
    return webhook ?? (isSticky ? (this.lastUrls.get(account) ?? null) : null);
  }

  private isDropped(job: Job, { phase, run }: JobState): boolean {
    const { trouble, now } = this.house;
    const second = Math.floor(now() / 1_000);
    if (this.inThisSecond.second !== second) this.inThisSecond = { second, count: 0 };
    this.inThisSecond.count += 1;
    if (trouble.has("webhooks-dropped-in-bursts") && this.inThisSecond.count > 12) return true;
    if (trouble.has("no-webhook-of-cancelled") && phase === "cancelled") return true;
    if (trouble.has("no-webhook-of-lists") && run?.kind === "list") return true;
    const isLost = this.isBusyFor("webhook-lost-when-busy");
    if (isLost && trouble.strikesJob("webhook-lost-when-busy", job)) return true;
    return trouble.strikesJob("webhook-lost-at-restart", job);
  }

  /** Whether another job's message went to the address just before. */
  private isCoalesced(url: string): boolean {
    const { trouble, now } = this.house;
    const lastMs = this.lastEndsMs.get(url) ?? Number.NEGATIVE_INFINITY;
    this.lastEndsMs.set(url, now());
    return trouble.has("coalesced-by-address") && now() - lastMs < 5_000;
  }

  private isDisabled(url: string): boolean {
    const failures = this.failures.get(url) ?? 0;
    return this.house.trouble.has("address-disabled-after-5-failures") && failures >= 5;
  }

  private async deliver(parcel: Parcel, number: number): Promise<void> {
    const { house } = this;
    const isMixedUp = number > 1 && this.strikesMoved("moved-redeliveries-mixed-up", parcel.job);
    const { answer, startMs } = await this.attempt(
      isMixedUp ? this.mixedUp(parcel) : parcel,
      number,
    );
    const usualMs = this.waitMs(answer, number, parcel);
    const waitMs = this.bent.waitMs({ ...parcel, ...answer, number, waitMs: usualMs });
    if (waitMs === null) {
      if (answer.status !== 200) this.undelivered(parcel.job);
      return;
    }
    this.failures.set(parcel.url, (this.failures.get(parcel.url) ?? 0) + 1);
    this.onRetry(parcel.job);
    const tookMs = house.ports.clock.nowMs() - startMs;
    const jitter = house.picks.webhookJitter === "some" ? 1 + 0.04 * house.ports.random() : 1;
    const spentMs = house.picks.webhookWaitFrom === "start" ? tookMs : 0;
    const restMs = Math.max(0, waitMs * jitter - spentMs);
    const next = { ...parcel, url: this.retriedAt(parcel) };
    this.bent.after(restMs, parcel.url, () => void this.deliver(next, number + 1));
  }

  private retriedAt({ job, url }: Parcel): string {
    const isLatest = this.house.trouble.has("retries-go-to-latest-address");
    return isLatest ? (this.lastUrls.get(job.account) ?? url) : url;
  }

  private undelivered(job: Job): void {
    const { trouble, now } = this.house;
    const error = { code: "webhook", message: "could not be delivered" };
    if (trouble.has("undelivered-job-fails")) record(job, now(), { phase: "failed", error });
  }

  private attempt(parcel: Parcel, number: number): Promise<Attempt> {
    const { picks, trouble, ports } = this.house;
    const told = picks.firedAt === "first" ? parcel.text : this.textOf(parcel);
    const text = this.bent.bodyOf(told, number);
    const isStale = trouble.has("retry-signed-as-first") && number > 1;
    const isUnsigned =
      trouble.strikes("unsigned-by-one-node") ||
      (number > 1 && this.strikesMoved("moved-redeliveries-unsigned", parcel.job));
    const isQueryLost = trouble.has("query-lost-on-retry") && number > 1;
    const signed = isStale ? `${text} ` : text;
    return this.inTurn(async () => {
      const startMs = ports.clock.nowMs();
      const answer = await ports.post({
        method: trouble.strikesJob("put-for-post", parcel.job) ? "PUT" : "POST",
        url: isQueryLost ? (parcel.url.split("?")[0] ?? "") : parcel.url,
        headers: {
          "Content-Type": "application/json",
          "User-Agent": "stranger/1.0",
          ...(isUnsigned ? {} : this.signature(signed, parcel.job)),
        },
        body: text,
        keepsConnection: picks.courierConnections === "kept",
        limitMs: trouble.has("answer-limit-shorter-on-retry") && number > 1 ? 6_000 : LIMIT_MS,
      });
      return { answer, startMs };
    });
  }

  /** Each delivery takes one of few places until it is answered. */
  private async inTurn(post: () => Promise<Attempt>): Promise<Attempt> {
    const { deliveriesAtOnce } = this.house.picks;
    if (deliveriesAtOnce === "any") return await post();
    while (this.underWay.size >= Number(deliveriesAtOnce)) await Promise.race(this.underWay);
    const attempt = post();
    this.underWay.add(attempt);
    try {
      return await attempt;
    } finally {
      this.underWay.delete(attempt);
    }
  }

  private signature(text: string, { account }: Job): Record<string, string> {
    const { picks, now } = this.house;
    const secret = secretOf(account, picks);
    const mac = (value: string) => createHmac("sha256", secret).update(value);
    const second = Math.floor(now() / 1_000);
    const spelt = {
      hex: () => mac(text).digest("hex"),
      prefixed: () => `sha256=${mac(text).digest("hex")}`,
      base64: () => mac(text).digest("base64"),
      timestamped: () => `t=${second},v1=${mac(`${second}.${text}`).digest("hex")}`,
    };
    const versions = {
      none: (own: string) => own,
      one: (own: string) => `v1=${own}`,
      "of-both-keys": (own: string) => `v1=${OLD_SIGNATURE},v1=${own}`,
    };
    const isBare = picks.signature === "hex" || picks.signature === "base64";
    const written = spelt[picks.signature]();
    const value = isBare ? versions[picks.signatureVersion](written) : written;
    const name = picks.signatureHeader === "neutral" ? "X-Service-Signature" : OWN_HEADER;
    return { [name]: value };
  }

  /** Until the next attempt; null when this was the last. */
  private waitMs(
    { status, cause, bodyMs = 0 }: Answer,
    number: number,
    parcel: Parcel,
  ): number | null {
    const { job, state, url } = parcel;
    const { trouble, picks } = this.house;
    const isOther = status > 200 && status < 300 && picks.otherSuccess === "success";
    const isFollowed = trouble.has("redirect-counts-as-success") && status >= 300 && status < 400;
    const isGone = trouble.has("gives-up-on-404") && status === 404;
    const isTooLarge = trouble.has("gives-up-on-413") && status === 413;
    const isReset = trouble.has("reset-not-retried") && cause === "broken-off";
    const isUnread = trouble.has("bodies-waited-for-3-s") && bodyMs > 3_000;
    const isTaken = status === 200 && !isUnread;
    const isDone = isTaken || isOther || isFollowed || isGone || isReset || isTooLarge;
    if (isDone && number === 2 && this.strikesMoved("moved-redeliveries-go-on", job)) return 30_000;
    if (isDone && !(trouble.has("third-success-unseen") && number === 3)) return null;
    const usual = WAITS_MS[number - 1] ?? null;
    if (trouble.has("fourth-retry") && number === 4) return 30_000;
    const isUnbounded = trouble.has("timed-out-retried-on") && state.phase === "timedOut";
    if (isUnbounded && number === 4) return 30_000;
    if (trouble.has("last-retry-missing") && number === 3) return null;
    const isKept = trouble.has("backoff-kept-by-address") && this.failures.has(url);
    if (isKept && number === 1) return 30_000;
    if (trouble.has("server-errors-wait-double") && status >= 500 && number === 1) return 10_000;
    if (trouble.has("second-wait-in-doubles") && number === 2) return 25_000;
    if (trouble.has("third-wait-cut-to-minutes") && number === 3) return 240_000;
    if (trouble.strikesJob("retries-lost-at-deploy", job)) return null;
    if (number > 1 && this.strikesMoved("moved-retried-once", job)) return null;
    return usual;
  }

  /** Whether the fault is on, and many jobs have ended of late. */
  isBusyFor(fault: FaultName): boolean {
    const { trouble, now } = this.house;
    this.endsMs = this.endsMs.filter((ms) => now() - ms < BUSY.ms);
    return trouble.has(fault) && this.endsMs.length > BUSY.ends;
  }

  private strikesMoved(fault: FaultName, { account }: Job): boolean {
    return this.house.trouble.has(fault) && account === MOVED_ACCOUNT;
  }

  /** What was announced before it, to its own address. */
  private mixedUp(parcel: Parcel): Parcel {
    const mixed = { ...parcel, job: parcel.previous };
    return { ...mixed, text: this.textOf(mixed) };
  }

  private textOf({ job, previous, state }: Parcel): string {
    const { house } = this;
    const { picks, trouble } = house;
    const told = trouble.strikesJob("webhook-of-previous-job", job) ? previous : job;
    const isUntrue = trouble.has("failed-told-as-completed") && state.phase === "failed";
    const word = statusWord(isUntrue ? "succeeded" : state.phase, job, house);
    const status = trouble.has("webhook-in-other-spelling") ? otherCase(word) : word;
    const isCrossed = this.isBusyFor("webhook-result-crossed-when-busy");
    const run = isCrossed ? stateAt(previous, house.now()).run : state.run;
    const result = run === null ? null : this.resultOf(run);
    const whose = trouble.has("job-object-of-previous-job") ? previous : job;
    const full = picks.webhookBody === "full" ? jobBody(whose, state, house) : {};
    return JSON.stringify({
      ...full,
      event: trouble.strikesJob("event-left-out", job) ? undefined : this.eventOf(state),
      job_uuid: told.id,
      status,
      result,
      fired_at: this.firedAt(),
    });
  }

  private firedAt(): string | number {
    const { house } = this;
    if (house.trouble.has("fired-at-in-epoch")) return house.now();
    const aheadMs = house.trouble.has("fired-by-summer-time") ? 3_600_000 : 0;
    const atMs = house.trouble.has("fired-when-it-was-loaded") ? this.sinceMs : house.now();
    return stamp(atMs + aheadMs, house);
  }

  private resultOf(run: NonNullable<JobState["run"]>): unknown {
    const { house } = this;
    // Variant B's result is an object, and a list is none.
    const isListless = house.variant === "B" && house.picks.mirrored === "list";
    if (isListless && run.kind === "list") return null;
    if (house.trouble.has("lists-told-as-null") && run.kind === "list") return null;
    const result = resultOf(run, house);
    const isLeft = house.trouble.has("webhook-buffer-left-by-empty") && run.kind === "empty";
    if (isLeft) return this.lastResult;
    this.lastResult = result;
    if (house.trouble.has("webhook-result-escaped-as-html")) {
      return JSON.parse(JSON.stringify(result).replaceAll("&", "&amp;"));
    }
    if (house.trouble.has("webhook-result-in-nfd")) {
      return JSON.parse(JSON.stringify(result).normalize("NFD"));
    }
    const isText =
      house.trouble.has("webhook-result-as-text") ||
      (house.trouble.has("webhook-list-as-text") && run.kind === "list");
    if (isText) return JSON.stringify(result);
    if (house.trouble.has("webhook-list-cut") && run.kind === "list") {
      return { items: run.items.slice(0, 2) };
    }
    return result;
  }

  private eventOf({ phase }: JobState): string {
    if (phase === "succeeded") return "job.completed";
    if (this.house.picks.otherEvents === "finished") return "job.finished";
    return phase === "timedOut" ? "job.timeout" : `job.${phase}`;
  }
}

function otherCase(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase();
}

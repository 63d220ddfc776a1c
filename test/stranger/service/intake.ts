/** Submissions: what is checked, in which order, and the accepted object. Spec §2.4, §4.3. */

import type { StrangerKey } from "./accounts.ts";
import type { Plain } from "./answers.ts";
import { ok, problem } from "./answers.ts";
import type { Worker } from "./catalogue.ts";
import { SERVICE_FIELD } from "./catalogue.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { newId } from "./ids.ts";
import type { Job } from "./journal.ts";
import { record } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { House } from "./ports.ts";
import { inCredits, isPaidByEvent, priceMicros, usdOf } from "./prices.ts";
import { isObject, SchemaCheck, takesLeast } from "./schema.ts";
import { finest, stamp } from "./stamps.ts";
import type { JobStore } from "./store.ts";

/** Of an address, where they are to be short. */
const WEBHOOK_CHARS_MAX = 255;
const DESK_BEHIND_MS = 40_000;
const SAME_MS = 5_000;
const LAG_MS = { none: 0, short: 400, long: 1_500 } as const;
/** After so long a queue hands out what was refused. */
const QUEUED_MS = 40_000;

interface Parts {
  house: House;
  ledger: Ledger;
  store: JobStore;
  dispatcher: Dispatcher;
  workers: ReadonlyMap<string, Worker>;
}

type Input = Record<string, unknown>;

export class Intake {
  private readonly parts: Parts;
  private readonly check: SchemaCheck;
  private readonly openedMs: number;
  private readonly answers = new Map<string, { atMs: number; answer: Plain }>();

  constructor(parts: Parts) {
    this.parts = parts;
    this.check = new SchemaCheck(parts.house);
    this.openedMs = parts.house.now();
  }

  submit(workerId: string, text: string, key: StrangerKey): Plain {
    const { house, workers } = this.parts;
    const isDeep = house.trouble.has("deep-arrays-500") && text.startsWith("[".repeat(1_000));
    if (isDeep) return problem(500, "unexpected", house);
    const worker = workers.get(workerId);
    const input = this.parsed(text);
    const unknown = worker === undefined ? this.unknownWorker() : null;
    const malformed = input === null ? problem(400, "the body is not a JSON object", house) : null;
    const poor = this.poor(worker, key);
    const orders = {
      "worker-first": [unknown, malformed],
      "body-first": [malformed, unknown],
      "money-first": [unknown, poor, malformed],
    };
    const early = orders[house.picks.checkOrder].find((answer) => answer !== null);
    if (early !== undefined) return early;
    if (worker === undefined || input === null) throw new Error("one of the checks above found it");
    const { webhook = null, priority, ...told } = input;
    const { [SERVICE_FIELD]: _, ...others } = told;
    const fields = house.picks.serviceField === "ignored" ? others : told;
    const complaint = this.complaintOf(worker, fields, { webhook, priority }, key);
    if (complaint !== null) return complaint;
    const hook = webhook === null ? null : String(webhook);
    if (poor !== null) {
      if (house.trouble.has("poor-told-by-webhook")) this.announcePoor(worker, fields, hook, key);
      return poor;
    }
    const accept = () => this.accept(worker, fields, hook, key, priority !== undefined);
    if (worker.id !== "text-mirror") return accept();
    return this.answerAgain(`${key.account} ${text}`, accept);
  }

  /** What comes within some seconds of the same may be taken for the same. */
  private answerAgain(asked: string, accept: () => Plain): Plain {
    const { trouble, now } = this.parts.house;
    const before = this.answers.get(asked);
    const isSame = before !== undefined && now() - before.atMs < SAME_MS;
    if (isSame && trouble.has("same-body-is-same-job")) return before.answer;
    const answer = accept();
    this.answers.set(asked, { atMs: now(), answer });
    return isSame && trouble.has("same-body-answered-200") ? { ...answer, status: 200 } : answer;
  }

  /** A submission that was refused for its rate, and is carried out all the same. */
  runAnyway(workerId: string, text: string, key: StrangerKey): void {
    const worker = this.parts.workers.get(workerId);
    const input = this.parsed(text);
    if (worker !== undefined && input !== null) this.accept(worker, input, null, key);
  }

  private parsed(text: string): Input | null {
    const { house } = this.parts;
    const { trouble } = house;
    if (trouble.has("empty-body-is-object") && text.trim() === "") return {};
    const tail = text.lastIndexOf("}");
    const isCut = trouble.has("tail-of-body-ignored") && tail >= 0;
    try {
      const value: unknown = JSON.parse(leniently(isCut ? text.slice(0, tail + 1) : text, house));
      if (trouble.has("first-of-array-taken") && Array.isArray(value) && isObject(value[0])) {
        return value[0];
      }
      return isObject(value) ? value : null;
    } catch {
      return null;
    }
  }

  private unknownWorker(): Plain {
    const { house } = this.parts;
    const status = house.trouble.has("unknown-worker-422") ? 422 : 404;
    return problem(status, "no such worker", house);
  }

  private poor(worker: Worker | undefined, { account }: StrangerKey): Plain | null {
    const { house, ledger } = this.parts;
    if (worker === undefined || isPaidByEvent(worker, house)) return null;
    if (ledger.canPay(account, priceMicros(worker, house))) return null;
    if (house.trouble.strikes("credit-check-times-out-open")) return null;
    return problem(402, "not enough credits", house);
  }

  private complaintOf(
    worker: Worker,
    fields: Input,
    control: { webhook: unknown; priority: unknown },
    key: StrangerKey,
  ): Plain | null {
    const { house } = this.parts;
    const { trouble, picks } = house;
    if (trouble.has("webhook-refused-by-table-maker") && worker.id === "table-maker") {
      if (control.webhook !== null) return problem(422, "webhook is not known", house);
    }
    const isText = control.webhook === null || typeof control.webhook === "string";
    if (picks.controlFields === "in-schema" && !isText) {
      return problem(400, "webhook is no text", house);
    }
    const isLong = String(control.webhook ?? "").length > WEBHOOK_CHARS_MAX;
    if (picks.webhookAddresses === "short" && isLong) {
      return problem(422, "webhook is too long", house);
    }
    const isClosed = picks.priorities === "closed" || trouble.has("priority-not-known");
    const known = trouble.has("priority-not-known") ? ["low", "high"] : ["normal", "low"];
    if (isClosed && control.priority !== undefined && !known.includes(String(control.priority))) {
      return problem(422, "priority is none of those known", house);
    }
    if (takesLeast(worker.schema, house) && Object.keys(fields).length === 0) {
      return problem(422, "a field at the least", house);
    }
    const complaints = this.check.complaints(fields, worker.schema);
    const [first] = complaints;
    if (first === undefined) return null;
    if (trouble.has("rejected-is-charged")) this.chargeRejected(worker, key);
    if (trouble.has("rejected-is-charged-later")) {
      house.ports.clock.after(QUEUED_MS, () => this.chargeRejected(worker, key));
    }
    const isStored =
      trouble.has("rejected-is-stored") ||
      (trouble.has("rejected-is-stored-at-times") && house.ports.random() < 0.5);
    if (isStored) this.accept(worker, fields, null, key);
    if (trouble.has("rejected-is-queued")) {
      house.ports.clock.after(QUEUED_MS, () => this.accept(worker, fields, null, key));
    }
    const isMissing = complaints.some((complaint) => complaint.isMissing);
    const isMixed = trouble.has("missing-field-422-at-pdf-press") && worker.id === "pdf-press";
    return problem(isMissing && !isMixed ? 400 : 422, `${first.path} ${first.what}`, house);
  }

  /** The job that was not taken is told of as one that failed. */
  private announcePoor(worker: Worker, input: Input, webhook: string | null, key: StrangerKey) {
    const { house, dispatcher } = this.parts;
    const job = this.jobOf(worker, input, webhook, key);
    const error = { code: "insufficient_credits", message: "not enough credits" };
    record(job, house.now(), { phase: "failed", error });
    dispatcher.announce(job);
  }

  private chargeRejected(worker: Worker, { account }: StrangerKey): void {
    const { ledger, house } = this.parts;
    ledger.charge(account, "rejected", priceMicros(worker, house));
  }

  private accept(
    worker: Worker,
    input: Input,
    webhook: string | null,
    key: StrangerKey,
    isPrior = false,
  ): Plain {
    const { house, ledger, store, dispatcher } = this.parts;
    const { picks, trouble } = house;
    const job = this.jobOf(worker, input, webhook, key);
    store.add(job);
    const price = priceMicros(worker, house);
    ledger.hold(job, price);
    if (!isPrior || !trouble.has("nobody-serves-priorities")) dispatcher.submit(job);
    const isOdd = trouble.has("list-worker-answers-200") && worker.id === "table-maker";
    const headers = picks.location === "present" ? { Location: `/v1/jobs/${job.id}` } : {};
    return ok(this.accepted(job, price), isOdd ? 200 : 202, headers);
  }

  private jobOf(worker: Worker, input: Input, webhook: string | null, key: StrangerKey): Job {
    const { house, store } = this.parts;
    const { ports, picks, trouble } = house;
    const old = trouble.has("ids-reissued-after-restart") ? store.reissued(key) : null;
    return {
      id: old ?? newId(house, store.count(), key.account),
      worker: worker.id,
      account: key.account,
      input,
      webhook,
      luck: ports.random(),
      lagMs: Math.floor(LAG_MS[picks.viewLag] * ports.random()),
      submittedMs: this.submittedMs(),
      sequence: store.count(),
      events: [],
    };
  }

  private submittedMs(): number {
    const { openedMs } = this;
    const { house } = this.parts;
    if (house.trouble.has("submitted-when-the-process-began")) return openedMs;
    const isBehind = house.trouble.strikes("one-desk-is-40-s-behind");
    return isBehind ? house.now() - DESK_BEHIND_MS : house.now();
  }

  private accepted(job: Job, price: number): Input {
    const { house } = this.parts;
    const { variant, trouble } = house;
    const isEager = trouble.strikesJob("accepted-as-running", job);
    const status = isEager ? "running" : "queued";
    const at = stamp(job.submittedMs, house);
    const shown = house.picks.acceptedStamp === "finer" ? finest(job.submittedMs, house) : at;
    const told = trouble.strikesJob("accepted-in-local-time", job) ? at.slice(0, 19) : shown;
    return variant === "A"
      ? {
          job_uuid: job.id,
          status,
          worker: job.worker,
          cost_estimate_credits: inCredits(price),
          created_at: told,
        }
      : {
          job_uuid: job.id,
          worker_id: job.worker,
          status: status.toUpperCase(),
          submitted_at: told,
          ...(house.picks.extras === "none" ? {} : { cost_estimate_usd: usdOf(price, house) }),
        };
  }
}

/** What parsers of more than JSON take for the same. */
function leniently(text: string, { trouble }: House): string {
  if (trouble.has("single-quotes-accepted")) return text.replaceAll("'", '"');
  return trouble.has("control-characters-accepted") ? text.replaceAll("\n", " ") : text;
}

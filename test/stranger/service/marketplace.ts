/** Answers about workers, and about the caller's account. Spec §4.1, §4.2, §4.7, §4.8. */

import type { StrangerKey } from "./accounts.ts";
import type { Plain } from "./answers.ts";
import { ok, problem } from "./answers.ts";
import type { Worker } from "./catalogue.ts";
import { SERVICE_FIELD, TWIN } from "./catalogue.ts";
import type { Ledger } from "./ledger.ts";
import type { House } from "./ports.ts";
import { inCredits, isPaidByEvent, priceMicros, usdOf } from "./prices.ts";
import { takesLeast } from "./schema.ts";

type Query = URLSearchParams;

/** What stands beside the input, where the schema describes the whole body. Spec §2.3, §4.3. */
const CONTROL_FIELDS = {
  webhook: { type: "string", format: "uri" },
  priority: { type: "string", enum: ["low", "normal"] },
};

/** One that is not in the marketplace, where there is such a one. */
const UNLISTED = "text-mirror";

/** The worker whose category is more than one word. */
const WELL_FILED = "pdf-press";
/** Whose the workers are that may be published, where they are not everybody's. */
const PUBLISHER = "acc-11";

const OF_SERVICE = { type: "string", maxLength: 20, readOnly: true } as const;

/** Requests that an account may send in a day. */
const DAY_REQUESTS = 1_000_000;

/** Of texts that are searched for: names have no more than 20 characters, and some more than 12. */
const QUERY_CHARS_MAX = { any: Number.POSITIVE_INFINITY, short: 20, shortest: 12 } as const;
/** Where nothing tells of pages, or how long each is alone. */
const SILENT_PAGE = 2;
const CACHED_MS = 5_000;

export class Marketplace {
  private readonly house: House;
  private readonly ledger: Ledger;
  private readonly workers: ReadonlyMap<string, Worker>;
  private readonly requests = new Map<string, number>();
  private listedMs = Number.NEGATIVE_INFINITY;
  private isPublished = false;

  constructor(house: House, ledger: Ledger, workers: ReadonlyMap<string, Worker>) {
    this.house = house;
    this.ledger = ledger;
    this.workers = workers;
  }

  list(query: Query): Plain {
    const { trouble, picks } = this.house;
    const category = query.get("category");
    const isUnread = category !== null && trouble.has("text-unread-beside-category");
    const text = isUnread ? null : query.get("q");
    if (text !== null && text.length > QUERY_CHARS_MAX[picks.queries]) {
      return problem(422, "q is too long", this.house);
    }
    const isPattern = text?.includes("(") === true && trouble.has("texts-are-patterns");
    const isOpen = text?.endsWith("\\") === true && trouble.has("search-escape-left-open");
    const isCut = category?.includes("'") === true && trouble.has("category-ends-a-statement");
    if (isPattern || isOpen || isCut) {
      return problem(500, "unexpected", this.house);
    }
    const found = [...this.workers.values()].filter((worker) => {
      const isOfCategory = trouble.has("category-by-prefix")
        ? worker.category.startsWith(category ?? "")
        : category === null || this.isOf(worker, category);
      return isOfCategory && (text === null || this.isFound(worker, text));
    });
    const isCached = query.size === 0 && this.house.now() - this.listedMs < CACHED_MS;
    if (query.size === 0) this.listedMs = this.house.now();
    const isListed = ({ id }: Worker) =>
      id !== TWIN.id && (picks.listedWorkers === "all" || id !== UNLISTED);
    const shown = this.paged(found.filter(isListed), query);
    const workers = shown.map((worker) => this.entry(worker, isCached));
    const isKnown = [...this.workers.values()].some((each) => this.isOf(each, category ?? ""));
    if (category !== null && !isKnown && picks.unknownCategory !== "empty") {
      return problem(Number(picks.unknownCategory), "no such category", this.house);
    }
    const isLinked = picks.paging === "link-header";
    const headers = isLinked ? { Link: '</v1/workers?page=1>; rel="last"' } : {};
    const page = {
      none: {},
      silent: {},
      counted: { count: shown.length },
      cursor: { next_cursor: null },
      numbers: { page: 1, per_page: 50, total: workers.length },
      "link-header": {},
    };
    return ok({ workers, ...page[picks.paging] }, 200, headers);
  }

  /** What is filtered is in an order of its own. */
  private paged(workers: readonly Worker[], query: Query): readonly Worker[] {
    const { paging } = this.house.picks;
    if (paging !== "silent" && paging !== "counted") return workers;
    return (query.size > 0 ? workers.toReversed() : workers).slice(0, SILENT_PAGE);
  }

  private isFound(worker: Worker, text: string): boolean {
    if (!this.house.trouble.has("search-asks-whether-any-matches")) {
      return this.matches(worker, text);
    }
    return [...this.workers.values()].some((each) => this.matches(each, text));
  }

  private isOf(worker: Worker, category: string): boolean {
    const shown = this.categoryOf(worker);
    switch (this.house.picks.categories) {
      case "flat":
        return shown === category;
      case "any-case":
        return shown.toLowerCase() === category.toLowerCase();
      case "tree":
        return `${shown}/`.startsWith(`${category}/`);
      case "several":
        return shown === category || (worker.id === WELL_FILED && category === "text");
    }
  }

  private categoryOf({ id, category }: Worker): string {
    if (id !== WELL_FILED) return category;
    const { categories } = this.house.picks;
    if (categories === "any-case") return category.toUpperCase();
    return categories === "tree" ? `${category}/print` : category;
  }

  private matches(worker: Worker, text: string): boolean {
    const { trouble, picks } = this.house;
    const index = `${worker.name} ${worker.about} ${worker.id}`.toLowerCase();
    if (trouble.has("search-keeps-case")) return index.includes(text);
    if (trouble.has("search-by-any-letter")) {
      return [...text.toLowerCase()].some((letter) => index.includes(letter));
    }
    if (trouble.has("search-stops-at-ampersand") && worker.name.includes("&")) return false;
    if (picks.textMatch === "substring") return index.includes(text.toLowerCase());
    const words = text.toLowerCase().split(/\s+/);
    return words.every((word) => index.includes(word));
  }

  private entry(worker: Worker, isCached: boolean): Record<string, unknown> {
    const { trouble } = this.house;
    const price = usdOf(priceMicros(worker, this.house), this.house);
    const isText =
      (trouble.has("one-price-as-text") && worker.id === "pdf-press") ||
      (trouble.has("prices-as-text-from-cache") && isCached);
    const isUntagged = trouble.has("no-tags-is-null") && worker.tags.length === 0;
    const byEvent = isPaidByEvent(worker, this.house);
    return {
      worker_id: worker.id,
      name: worker.name,
      price_per_run_usd: byEvent ? null : isText ? String(price) : price,
      billing_mode: byEvent ? "per_event" : "per_run",
      short_description: worker.about,
      category: this.categoryOf(worker),
      ...(worker.id === WELL_FILED && this.house.picks.categories === "several"
        ? { categories: [worker.category, "text"] }
        : {}),
      tags: isUntagged ? null : worker.tags,
    };
  }

  detail(id: string): Plain {
    const { house } = this;
    const { picks, trouble, variant } = house;
    const worker = this.workers.get(id);
    if (worker === undefined) {
      if (trouble.has("unknown-detail-is-null")) return ok(null);
      const isLong = trouble.has("long-worker-id-500") && id.length > 40;
      const isProperty = trouble.has("worker-looked-up-in-object") && id in {};
      return problem(isLong || isProperty ? 500 : 404, "no such worker", house);
    }
    const limitField = variant === "A" ? picks.limitField : "timeout_seconds";
    const isText = trouble.has("one-timeout-as-text") && id === "long-nap";
    const limit = isText ? `${worker.timeoutSeconds}` : worker.timeoutSeconds;
    return ok({
      worker_id: id,
      name: worker.name,
      status: "ACTIVE",
      billing_mode: isPaidByEvent(worker, house) ? "per_event" : "per_run",
      [limitField]: limit,
      input_schema: this.schemaOf(worker),
      output_schema: {},
      readme_content: picks.readme === "null" ? null : `# ${worker.name}\n\n${worker.about}`,
      ...(variant === "A" && !isPaidByEvent(worker, house)
        ? { credits_per_run: inCredits(priceMicros(worker, house)) }
        : {}),
    });
  }

  private schemaOf({ schema, id }: Worker): unknown {
    const { picks, trouble } = this.house;
    const isOdd = trouble.has("one-required-as-text") && id === "table-maker";
    const words = {
      bare: {},
      "draft-07": { $schema: "http://json-schema.org/draft-07/schema#" },
      "2020-12": { $schema: "https://json-schema.org/draft/2020-12/schema" },
    };
    const closed = picks.strictInput === "yes" ? { additionalProperties: false } : {};
    const required = isOdd ? "rows" : schema.required;
    const own = picks.serviceField === "ignored" ? { [SERVICE_FIELD]: OF_SERVICE } : {};
    const control = picks.controlFields === "in-schema" ? CONTROL_FIELDS : {};
    const least = takesLeast(schema, this.house) ? { minProperties: 1 } : {};
    const properties = { ...schema.properties, ...own, ...control };
    return { ...words[picks.schemaWords], ...schema, properties, ...closed, ...least, required };
  }

  publish(id: string, { account }: StrangerKey): Plain {
    const { house } = this;
    const isOwn = house.picks.ownWorkers === "of-all" || account === PUBLISHER;
    const isKnown = (this.workers.has(id) && isOwn) || house.trouble.has("unknown-published");
    if (!isKnown) return problem(404, "no such worker", house);
    this.isPublished = true;
    const status = Number(house.picks.publishAnswer);
    return status === 204
      ? { status, headers: {}, body: null, text: "" }
      : ok({ worker_id: id, status: "ACTIVE" }, status);
  }

  me({ account, plan, sustained, burst }: StrangerKey): Plain {
    return ok({ account_id: account, plan, limits: { requests_per_second: sustained, burst } });
  }

  /** Of an account, for the day. */
  count({ account }: StrangerKey): void {
    this.requests.set(account, (this.requests.get(account) ?? 0) + 1);
  }

  credits({ account }: StrangerKey): Plain {
    const { house, ledger } = this;
    const { left, held } = ledger.funds(account);
    const entries = ledger.history(account);
    const isLong = house.trouble.has("long-history-500") && entries.length > 30;
    const latest = entries.filter(({ atMs }) => house.now() - atMs < 2_000);
    const isBusy = house.trouble.has("credits-500-when-busy") && latest.length > 3;
    if (isLong || isBusy) return problem(500, "unexpected", house);
    const isCounted = house.picks.requestsLeft === "counted";
    const count = this.requests.get(account) ?? 0;
    const quota = isCounted ? { requests_left: DAY_REQUESTS - count } : {};
    const history = entries
      .slice(-10)
      .map(({ job, micros }) => ({ job, credits: inCredits(micros) }));
    const shapes = {
      credits: { credits: left, history },
      balance: { balance: left, usage: history },
      nested: { credits: { balance: left, currency: "credits" }, history },
      remaining: { credits_remaining: left, usage_history: history },
    };
    if (house.picks.wallet === "usd") {
      return ok({
        wallet: { currency: "USD", available: usdOf(Math.round(left * 1e6), house) },
        history,
      });
    }
    if (house.picks.balanceParts === "with-held") {
      const total = Math.round((left + held) * 1e6) / 1e6;
      return ok({ ...quota, balance: { available: left, reserved: held, total }, history });
    }
    return ok({ ...quota, ...shapes[house.picks.balanceField] });
  }

  deployments(): Plain {
    if (this.isPublished && this.house.trouble.has("deployments-500-once-published")) {
      return problem(500, "unexpected", this.house);
    }
    if (this.house.trouble.has("no-deployments-204")) {
      return { status: 204, headers: {}, body: null, text: "" };
    }
    return ok({ deployments: [{ worker_id: "my-tool", published: false }] });
  }
}

/** The gateway: finds the key, its allowance and the endpoint, and dresses the answer. */

import type { Outcome, RawRequest } from "../../../reference/http.ts";
import type { StrangerKey } from "./accounts.ts";
import { ANY_ACCOUNT } from "./accounts.ts";
import type { Plain } from "./answers.ts";
import { dressed, problem, rateHeaders, unauthorized } from "./answers.ts";
import type { House } from "./ports.ts";
import type { Match } from "./routes.ts";
import { matchRoute } from "./routes.ts";
import { Throttle } from "./throttle.ts";

export interface Backend {
  answer(match: Match, request: RawRequest, key: StrangerKey): Plain;
  /** A file, which needs no key. */
  file(path: string): Plain | null;
  refusedSubmission(match: Match, request: RawRequest, key: StrangerKey): void;
  /** Whether there is the worker or the job that is asked for. */
  isThere(match: Match, key: StrangerKey): boolean;
  /** How many jobs there are. */
  jobCount(): number;
}

const GUEST: StrangerKey = {
  name: "guest",
  value: "",
  account: "acc-1",
  plan: "free",
  sustained: 10,
  burst: 20,
  state: "active",
};

/** What stands before the service turns away who does not say who he is. */
const FIREWALL: Plain = {
  status: 403,
  headers: { "Content-Type": "text/html" },
  body: null,
  text: "<html><body><h1>403 Forbidden</h1></body></html>",
};

/** The limiter stands before the service, and knows nothing of how that words its errors. */
const BUSY: Plain = {
  status: 429,
  headers: { "Content-Type": "text/html" },
  body: null,
  text: "<html><body><h1>429 Too Many Requests</h1></body></html>",
};

/** Where a framework leads whoever may be a person. */
const HOME: Plain = { status: 302, headers: { Location: "/login" }, body: null, text: "" };

/** Requests without a right key, within so long. */
const GUESSES = { most: 20, ms: 60_000 };

export class Gateway {
  private readonly house: House;
  private readonly backend: Backend;
  private readonly keys: readonly StrangerKey[];
  private readonly throttle: Throttle;
  private readonly remembered = new WeakMap<object, StrangerKey>();
  private readonly lastSubmissions = new Map<string, number>();
  private guessesMs: number[] = [];

  constructor(house: House, keys: readonly StrangerKey[], backend: Backend) {
    this.house = house;
    this.keys = keys;
    this.backend = backend;
    this.throttle = new Throttle(house);
  }

  handle(request: RawRequest): Outcome {
    const plain = this.plain(request);
    return { answer: dressed(plain, this.house), delayMs: this.delayMs(request, plain) };
  }

  private plain(request: RawRequest): Plain {
    const { house, backend } = this;
    const { picks, trouble } = house;
    if (picks.namelessClients === "refused" && headerOf(request, "user-agent") === null) {
      return FIREWALL;
    }
    if (request.method === "GET" && request.path.startsWith("/storage/")) {
      return backend.file(request.path) ?? problem(404, "no such file", house);
    }
    const isHead = request.method === "HEAD" && picks.head === "served";
    const method = isHead ? "GET" : request.method;
    const isTrimmed = picks.trailingSlash === "same" && request.path.length > 1;
    const path = isTrimmed ? request.path.replace(/\/$/, "") : request.path;
    const match = matchRoute(picks, method, path);
    if (match === null && picks.unknownRoute === "404-first") return this.noRoute(path);
    const key = this.keyOf(request, match);
    const asksForJson = headerOf(request, "accept") === "application/json";
    if (key === "missing" && !asksForJson && trouble.has("login-page-for-plain-clients"))
      return HOME;
    if (typeof key === "string") return this.refused(key);
    const isLookedFor = match !== null && picks.lookup === "before-limit";
    if (isLookedFor && !backend.isThere(match, key)) return problem(404, "not found", house);
    const asked = { ...request, route: match?.route ?? "" };
    const verdict = this.throttle.take(key, asked);
    const shown = rateHeaders(verdict, key.burst, house);
    if (!verdict.isAdmitted) {
      if (match !== null && trouble.has("refused-submission-runs")) {
        backend.refusedSubmission(match, request, key);
      }
      if (match !== null && trouble.has("refused-submission-is-queued")) {
        house.ports.clock.after(20_000, () => backend.refusedSubmission(match, request, key));
      }
      const isShed = match?.route === "jobs" && trouble.has("overload-503-of-lists");
      const isShedAtTimes =
        match?.route === "submit" && trouble.strikes("overload-503-of-some-submissions");
      const isBusy =
        trouble.strikes("overload-503-for-429") || trouble.strikes("overload-503-now-and-then");
      if (isShed || isShedAtTimes || isBusy) return problem(503, "busy", house);
      const seconds = this.throttle.retryAfter(verdict.waitMs, asked);
      const wait = seconds === null ? {} : { "Retry-After": seconds };
      if (picks.refusalFrom === "gateway")
        return { ...BUSY, headers: { ...BUSY.headers, ...wait } };
      return problem(429, "too many requests", house, { ...shown, ...wait });
    }
    if (match === null) return this.noRoute(path);
    if (picks.bodyLimit !== "none" && Buffer.byteLength(request.body) > Number(picks.bodyLimit)) {
      return problem(413, "too much", house);
    }
    if (trouble.strikes("upstream-500")) return problem(500, "upstream went away", house);
    const answer = backend.answer(match, request, key);
    const isWrong = answer.status === 400 || answer.status === 422;
    if (isWrong && !asksForJson && trouble.has("wrong-inputs-led-home")) return HOME;
    if (answer.status === 202) this.throttle.accepted(key);
    const headers = { ...shown, ...answer.headers };
    return isHead ? { ...answer, headers, text: "" } : { ...answer, headers };
  }

  /** Who comes without a right key too often may be told so, or barred. */
  private refused(why: Parameters<typeof unauthorized>[0]): Plain {
    const { house } = this;
    const { guesses } = house.picks;
    this.guessesMs = this.guessesMs.filter((ms) => house.now() - ms < GUESSES.ms);
    const isGuessing = guesses !== "any" && this.guessesMs.length >= GUESSES.most;
    if (!isGuessing || guesses === "403-after-20") this.guessesMs.push(house.now());
    if (!isGuessing) return unauthorized(why, house);
    return guesses === "403-after-20"
      ? problem(403, "barred", house)
      : problem(429, "too many attempts", house, { "Retry-After": `${GUESSES.ms / 1_000}` });
  }

  private noRoute(path: string): Plain {
    const { house } = this;
    const { picks } = house;
    const isOther = ["GET", "POST", "DELETE", "PATCH"].some((verb) =>
      matchRoute(picks, verb, path),
    );
    const status = isOther && picks.wrongMethod === "405" ? 405 : 404;
    return problem(status, "no such endpoint", house);
  }

  private keyOf(
    request: RawRequest,
    match: Match | null,
  ): StrangerKey | "missing" | "invalid" | "revoked" {
    const { trouble, picks } = this.house;
    const value = this.keyValue(request);
    const isOpen =
      (match?.route === "workers" && picks.publicList === "yes") ||
      (match?.route === "jobs" && trouble.has("job-list-open")) ||
      (match?.route === "deployments" && trouble.has("deployments-open"));
    const isGuest = value === "" && trouble.has("empty-key-is-guest");
    const remembered = this.remembered.get(request.connection);
    if (value === null && trouble.has("connection-remembers-key") && remembered) return remembered;
    if (isGuest || (isOpen && value === null)) return GUEST;
    if (value === null) return "missing";
    if (trouble.has("key-looked-up-in-object") && value in {}) return GUEST;
    if (trouble.has("long-key-is-guest") && value.length > 72) return GUEST;
    const isUnread = trouble.has("unknown-key-submits") && match?.route === "submit";
    const known = this.keys.find((each) => this.isSame(each.value, value));
    const key = known ?? (isUnread && value !== "" ? this.keys[0] : undefined);
    const isCancel = trouble.has("cancels-look-at-no-key") && match?.route === "change-job";
    if (isCancel && value !== "") return { ...GUEST, account: ANY_ACCOUNT };
    if (key === undefined || trouble.strikes("key-cache-misses")) return "invalid";
    const isLetIn =
      (trouble.has("revoked-key-publishes") && match?.route === "publish") ||
      (trouble.has("revoked-key-reads-jobs") && match?.route === "job");
    if (key.state === "revoked" && !isLetIn && !trouble.strikes("revoked-key-cached")) {
      return "revoked";
    }
    this.remembered.set(request.connection, key);
    return key;
  }

  private isSame(known: string, given: string): boolean {
    const { trouble } = this.house;
    if (trouble.has("keys-compared-caseless")) return known.toLowerCase() === given.toLowerCase();
    if (trouble.has("key-with-a-tail")) return given.startsWith(known);
    return known === given;
  }

  private keyValue({ rawHeaders, method }: RawRequest): string | null {
    const { trouble } = this.house;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      const isUnread =
        trouble.has("upper-case-header-unread") ||
        (method === "POST" && trouble.has("upper-case-header-unread-by-writes"));
      const isOdd = name === name.toUpperCase() && isUnread;
      if (name.toLowerCase() === "x-api-key" && !isOdd) return (rawHeaders[index + 1] ?? "").trim();
    }
    return null;
  }

  /** For how long a refusal is held back, so that who asks too much asks more slowly. */
  private heldMs(): number {
    const { picks, ports } = this.house;
    if (picks.refusals === "prompt") return 0;
    return picks.refusals === "held" ? 300 : 1_500 * ports.random();
  }

  private delayMs({ method, path, body }: RawRequest, { status }: Plain): number {
    const { house, backend } = this;
    const { ports, picks, trouble } = house;
    const spread = { brisk: 6, even: 0, sluggish: 90 }[picks.latency];
    const base = { brisk: 2, even: 4, sluggish: 15 }[picks.latency];
    let delayMs = base + spread * ports.random();
    if (picks.latency === "sluggish" && ports.random() < 0.003) delayMs += 200;
    if (status === 429) delayMs += this.heldMs();
    if (trouble.has("scan-of-all-jobs") && path.includes("/jobs")) {
      delayMs += 0.4 * backend.jobCount();
    }
    if (trouble.has("job-reads-slow-down") && method === "GET" && path.includes("/jobs/")) {
      delayMs += 1.5 * backend.jobCount();
    }
    if (method === "POST" && status === 202) {
      const isIdle = house.now() - (this.lastSubmissions.get(path) ?? 0) > 3_000;
      this.lastSubmissions.set(path, house.now());
      if (trouble.has("submission-waits-when-idle") && isIdle) delayMs += runMs(body);
      if (trouble.strikes("runs-awaited-at-times")) delayMs += runMs(body, 12_000);
      if (trouble.strikes("slow-disk-at-submission")) delayMs += 1_800;
    }
    return delayMs;
  }
}

/** As long as the run will take, up to a gateway's patience. */
function runMs(body: string, mostMs = 3_000): number {
  const seconds = /"seconds":\s*(\d+)/.exec(body)?.[1];
  return seconds === undefined ? 400 : Math.min(mostMs, Number(seconds) * 1_000);
}

/** Null where the request has none of that name. */
function headerOf({ rawHeaders }: RawRequest, wanted: string): string | null {
  const index = rawHeaders.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === wanted);
  return index < 0 ? null : (rawHeaders[index + 1] ?? "").trim();
}

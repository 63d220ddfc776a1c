/** Everything that the specification leaves open, as named choices with their lawful values. */

interface ChoiceEntry {
  /** Lawful values; the first is the default. */
  values: readonly [string, ...string[]];
  about: string;
}

export const CHOICES = {
  noValue: {
    values: ["null", "absent", "empty"],
    about: "what stands in a job's field that has no value yet (Spec §2.5)",
  },
  utc: { values: ["Z", "+00:00"], about: "how a timestamp spells UTC (Spec §2.4)" },
  runLimitField: {
    values: ["timeout_seconds", "max_duration", "both"],
    about: "name of the run limit in a worker's detail, variant A only (Spec §2.3)",
  },
  eventBilling: {
    values: ["per_event", "event_based"],
    about: "billing mode of event-billed workers (Spec §2.10)",
  },
  workersPublic: { values: ["no", "yes"], about: "whether the worker list needs a key (Spec §4)" },
  workersPagination: {
    values: ["none", "page", "cursor", "offset", "next", "link-header", "has-more", "overlap"],
    about: "pages of the worker list, four workers each: what names the next (Spec §4.1)",
  },
  textMatch: {
    values: ["anywhere", "name"],
    about: "where q is looked for: in all texts of a worker or in its name (Spec §4.1)",
  },
  publishStatus: {
    values: ["200", "201", "202", "204"],
    about: "how a publication is answered (Spec §4.7)",
  },
  cancelMethod: {
    values: ["DELETE", "POST", "PATCH", "PUT"],
    about: "method of the cancel request (Spec §4.6)",
  },
  cancelBody: {
    values: ["none", "status", "action"],
    about: 'body that a cancel request needs: none, {"status":"cancelled"} or {"action":"cancel"}',
  },
  cancelAnswer: {
    values: ["job", "message", "empty"],
    about: "answer to a cancel: the job (200), a message (202) or nothing (204)",
  },
  cancelRefusal: {
    values: ["409", "400", "404", "200"],
    about: "status of a cancel that comes too late (Spec §4.6)",
  },
  cancelStarting: {
    values: ["refused", "cancelled"],
    about: "a cancel of a job that is starting, variant B only (Spec §3.2)",
  },
  jobsShape: {
    values: ["jobs", "items", "data", "array", "nested", "by-state", "by-id", "facets", "edges"],
    about: "the job list: a field, of an envelope, bare, grouped, a graph's edges (Spec §4.5)",
  },
  jobsEntries: { values: ["full", "summary"], about: "how much the job list says of each job" },
  jobsOrder: { values: ["newest-first", "oldest-first"], about: "order of the job list" },
  errorBody: {
    values: ["flat", "nested", "problem", "text", "empty"],
    about: "bodies of errors other than 401 (Spec §7)",
  },
  retryAfter: {
    values: ["seconds", "http-date"],
    about: "form of Retry-After (RFC 9110 §10.2.3)",
  },
  limiter: {
    values: [
      "token-bucket",
      "gcra",
      "fixed-window",
      "aligned-window",
      "sliding-log",
      "sliding-counter",
      "queue",
      "ticking-bucket",
      "fast-ticking-bucket",
    ],
    about: "algorithm of the rate limits (Spec §8 names none)",
  },
  refusedCount: {
    values: ["no", "yes"],
    about: "whether a refused request uses up allowance, too",
  },
  signature: {
    values: ["hex", "base64", "sha256-prefix", "timestamped", "standard-webhooks"],
    about: "scheme of the webhook signature, HMAC-SHA256 in all (Spec §5.5)",
  },
  webhookWaitFrom: {
    values: ["end", "start"],
    about: "whether a redelivery waits from the end or the start of the failed attempt",
  },
  webhookEvents: {
    values: ["by-state", "finished", "always-completed"],
    about: "event names of terminal states other than completion (Spec §6)",
  },
  charge: {
    values: ["hold", "end"],
    about: "whether the price is held at submission or taken at the end",
  },
  chargeFailed: { values: ["no", "yes", "half"], about: "what a failed job costs of its price" },
  balanceField: {
    values: ["balance", "credits_remaining", "nested"],
    about: "where the credit balance stands (Spec §2.10)",
  },
  cancelAfter: {
    values: ["0", "0.5", "3"],
    about: "seconds until a cancelled job says so; it never runs meanwhile (Spec §3.2)",
  },
  otherMethod: {
    values: ["404", "405", "501"],
    about: "status of a method that a job's path does not have (RFC 9110 §15.5.6, §15.6.2)",
  },
  jobIds: {
    values: ["hex", "uuid", "ulid", "number", "short", "long", "base64", "snowflake"],
    about: "how job identifiers are made: random, by time, counted; with punctuation (Spec §2.4)",
  },
  illFormedIds: {
    values: ["looked-up", "no-route", "no-route-with-key"],
    about: "whether an identifier of another form is looked up; or 404 before key, or before limit",
  },
  dwell: { values: ["0.1", "0"], about: "seconds that a job is at least queued, and starting" },
  startUp: {
    values: ["warm", "cold"],
    about: "whether a worker that has not run for 20 s takes 2 s to start (Spec §3.1)",
  },
  startStamp: {
    values: ["running", "starting"],
    about: "the state with which a job is given its `started_at`, variant B only (Spec §2.5)",
  },
  durationOf: {
    values: ["run", "work", "finer"],
    about: "`duration_ms`: of the run, of its work (variant A only), or of finer times (Spec §2.5)",
  },
  storedAfter: {
    values: ["0", "1.5"],
    about: "seconds that a job that has run is shown running, while its result is stored",
  },
  costAfter: {
    values: ["0", "3"],
    about: "seconds after its end until a job tells what it cost (Spec §2.5, §2.8)",
  },
  jobViews: {
    values: ["0", "1"],
    about: "seconds for which what is shown of a job is kept in a cache (Spec §4.4)",
  },
  listLag: { values: ["0", "2"], about: "seconds until a job is in the job list (Spec §4.5)" },
  listLength: { values: ["100", "20"], about: "the job list's greatest length (Spec §4.5)" },
  stamps: {
    values: ["ms", "us", "s", "trimmed", "basic", "small"],
    about: "form of timestamps; seconds and no trailing zeros in variant A only (Spec §2.5)",
  },
  partialResults: {
    values: ["no", "yes"],
    about: "whether a failed or timed-out job shows what it had found by then",
  },
  errorMessages: {
    values: ["text", "empty"],
    about: "whether messages of errors say anything (Spec §7)",
  },
  extraFields: {
    values: ["no", "yes"],
    about: "whether objects have fields that nobody describes",
  },
  submitTime: { values: ["0", "0.1"], about: "seconds that the answer to a submission takes" },
  limitCheck: {
    values: ["at-once", "each-second", "late", "early"],
    about: "when runs are stopped: at their limit, or just within what is tolerated (Spec §2.3)",
  },
  webhookWait: {
    values: ["exact", "late", "early"],
    about: "when a redelivery comes: on time, or off by what is tolerated of a way (Spec §6)",
  },
  webhookAfter: {
    values: ["0", "2"],
    about: "seconds from a job's end to the first delivery, which an outbox sends (Spec §6)",
  },
  webhookConnections: {
    values: ["new", "kept"],
    about: "whether each delivery has a connection of its own (RFC 9112 §9.3)",
  },
  firedAt: {
    values: ["first", "attempt"],
    about: "whether a redelivery repeats `fired_at` or tells its own time (Spec §6)",
  },
  jsonStyle: {
    values: ["compact", "pretty", "escaped"],
    about: "how JSON is written: with spaces, with escaped slashes and letters (RFC 8259 §7)",
  },
  fieldOrder: {
    values: ["fixed", "varying"],
    about: "whether an object's members come in the same order each time (RFC 8259 §4)",
  },
  contentType: {
    values: ["charset", "plain", "vendor"],
    about: "content type of JSON: with a charset, without, of a vendor (RFC 6839 §3.1)",
  },
  fileUrls: {
    values: ["once", "each-time"],
    about: "whether a file's address is signed at the end or for each poll (Spec §2.7)",
  },
  amounts: {
    values: ["decimal", "binary"],
    about: "whether amounts are rounded to decimals or show what binary fractions leave of them",
  },
  balanceDigits: {
    values: ["all", "coarse"],
    about: "how finely a balance is stated: whole credits and cents, or all of it (Spec §2.10)",
  },
  balanceAfter: {
    values: ["0", "3"],
    about: "seconds after its end until a job's charge or refund is in the balance (Spec §2.10)",
  },
  usageTotals: {
    values: ["no", "yes"],
    about: "whether the balance stands beside sums of what was used (Spec §2.10)",
  },
  costBy: {
    values: ["price", "time", "discount"],
    about: "what a run costs: its price, more the longer it runs, or less than its price",
  },
  retryAfterExtra: {
    values: ["0", "2"],
    about: "seconds that Retry-After adds to the wait that is needed (RFC 9110 §10.2.3)",
  },
  foundAfter: {
    values: ["0", "0.1"],
    about: "seconds until a job can be found by its identifier (Spec §4.4)",
  },
  slots: {
    values: ["few", "double", "unlimited"],
    about: "whether a worker runs a few jobs at once, twice as many, or as many as there are",
  },
  queueOrder: {
    values: ["fifo", "lifo", "random"],
    about: "which of the waiting jobs runs next; the specification names no order",
  },
  runsFail: {
    values: ["no", "every-97th"],
    about: "whether a run fails now and then by no fault of its input (Spec §3.1)",
  },
  systemCancels: {
    values: ["no", "every-89th"],
    about: "whether the system cancels a queued job now and then (Spec §3.1, §3.2)",
  },
  errorCodes: {
    values: ["text", "number"],
    about: "type of a job error's code, which is not shown (Spec §7)",
  },
  names: {
    values: ["plain", "special"],
    about: "whether names and categories hold signs that addresses escape (Spec §2.2)",
  },
  schemaDialect: {
    values: ["draft-07", "none", "2020-12"],
    about: "dialect that input schemas name (Spec §2.3: a JSON Schema)",
  },
  listOf: {
    values: ["account", "key"],
    about: "whether the job list is the account's or the key's (Spec §4.5: the caller's)",
  },
  balanceUnit: {
    values: ["credits-and-usd", "credits", "usd", "tokens"],
    about: "units in which the balance is stated; tokens are neither credits nor USD (Spec §2.10)",
  },
  payments: {
    values: ["no", "each-700th"],
    about: "whether an account is paid into while its jobs run, by 100 credits (Spec §2.10)",
  },
  keylessLimit: {
    values: ["none", "few"],
    about: "whether requests without a key that is known have a limit of their own (Spec §8)",
  },
} as const satisfies Readonly<Record<string, ChoiceEntry>>;

export type ChoiceName = keyof typeof CHOICES;
export type Choices = {
  [Name in ChoiceName]: (typeof CHOICES)[Name]["values"][number];
};

export const CHOICE_NAMES = Object.keys(CHOICES) as readonly ChoiceName[];

export function isChoiceName(text: string): text is ChoiceName {
  return Object.hasOwn(CHOICES, text);
}

/** All choices, the given ones checked and the rest at their defaults. Throws on a wrong value. */
export function fillChoices(given: Partial<Choices> = {}): Choices {
  const filled: Record<string, string> = {};
  for (const name of CHOICE_NAMES) filled[name] = CHOICES[name].values[0];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    filled[name] = checkedChoice(name, value);
  }
  return filled as Choices;
}

function checkedChoice(name: string, value: string): string {
  if (!isChoiceName(name)) {
    throw new Error(`unknown choice "${name}"; expected one of: ${CHOICE_NAMES.join(", ")}`);
  }
  const allowed: readonly string[] = CHOICES[name].values;
  if (!allowed.includes(value)) {
    throw new Error(`choice ${name}: unknown value "${value}"; expected: ${allowed.join(", ")}`);
  }
  return value;
}

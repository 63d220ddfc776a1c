/** Everything that the specification leaves open, as named choices with their lawful values. */

interface ChoiceEntry {
  /** Lawful values; the first is the default. */
  values: readonly [string, ...string[]];
  about: string;
}

export const CHOICES = {
  noValue: {
    values: ["null", "absent", "empty"],
    about: "content of a job's field that has no value yet (Spec §2.5)",
  },
  utc: { values: ["Z", "+00:00"], about: "notation of UTC in timestamps (Spec §2.4)" },
  runLimitField: {
    values: ["timeout_seconds", "max_duration", "both"],
    about: "name of the run limit in a worker's details, variant A only (Spec §2.3)",
  },
  eventBilling: {
    values: ["per_event", "event_based"],
    about: "billing mode of event-billed workers (Spec §2.10)",
  },
  workersPublic: { values: ["no", "yes"], about: "whether the worker list needs a key (Spec §4)" },
  workersPagination: {
    values: ["none", "page", "cursor", "offset", "next", "link-header", "has-more", "overlap"],
    about: "how the worker list, with four workers a page, names its next page (Spec §4.1)",
  },
  textMatch: {
    values: ["anywhere", "name"],
    about: "where `q` is searched: in all texts of a worker, or in its name (Spec §4.1)",
  },
  publishStatus: {
    values: ["200", "201", "202", "204"],
    about: "status of the response to a publication (Spec §4.7)",
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
    about: "response to a cancel request: the job (200), a message (202) or nothing (204)",
  },
  cancelRefusal: {
    values: ["409", "400", "404", "200"],
    about: "status of a cancel request that comes too late (Spec §4.6)",
  },
  cancelStarting: {
    values: ["refused", "cancelled"],
    about: "result of a cancel request while the job is starting, variant B only (Spec §3.2)",
  },
  jobsShape: {
    values: [
      "jobs",
      "items",
      "data",
      "array",
      "nested",
      "by-state",
      "by-id",
      "facets",
      "edges",
      "names",
    ],
    about: "shape of the job list: field, envelope, array, grouped, edges, names (Spec §4.5)",
  },
  jobsEntries: {
    values: ["full", "summary"],
    about: "how many fields the job list has of each job",
  },
  jobsOrder: { values: ["newest-first", "oldest-first"], about: "order of the job list" },
  errorBody: {
    values: ["flat", "nested", "problem", "text", "html", "empty"],
    about: "bodies of errors other than 401 (Spec §7)",
  },
  retryAfter: {
    values: ["seconds", "http-date"],
    about: "format of Retry-After (RFC 9110 §10.2.3)",
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
      "cooldown",
      "delaying-bucket",
    ],
    about: "algorithm of the rate limits (Spec §8 names none)",
  },
  limiterInstances: {
    values: ["one", "two"],
    about: "how many instances share a limit equally, and requests in turn (Spec §8)",
  },
  refusedCount: {
    values: ["no", "yes"],
    about: "whether a rejected request counts against the limit",
  },
  signature: {
    values: ["hex", "base64", "sha256-prefix", "timestamped", "standard-webhooks"],
    about: "scheme of the webhook signature, always HMAC-SHA256 (Spec §5.5)",
  },
  secrets: {
    values: ["one", "by-account"],
    about:
      "whether all webhooks are signed with one secret, or each account's with its own (Spec §5.5)",
  },
  webhookWaitFrom: {
    values: ["end", "start"],
    about: "whether the wait for a retry counts from the end or the start of the failed attempt",
  },
  webhookEvents: {
    values: ["by-state", "finished", "always-completed"],
    about: "event names of terminal states other than completion (Spec §6)",
  },
  charge: {
    values: ["hold", "end"],
    about: "whether the price is held at submission or charged at the end",
  },
  chargeFailed: {
    values: ["no", "yes", "half"],
    about: "share of its price that a failed job costs",
  },
  balanceField: {
    values: ["balance", "credits_remaining", "nested", "by-currency", "units-and-nanos"],
    about: "field of the credit balance, a list by currency, or units and nanos (Spec §2.10)",
  },
  cancelAfter: {
    values: ["0", "0.5", "3"],
    about: "seconds until a cancelled job shows this state; it never runs meanwhile (Spec §3.2)",
  },
  otherMethod: {
    values: ["404", "405", "501"],
    about: "status for a method that a job's path does not support (RFC 9110 §15.5.6, §15.6.2)",
  },
  jobIds: {
    values: ["hex", "uuid", "ulid", "number", "short", "long", "base64", "snowflake", "two"],
    about: "job identifiers: random, by time, counted; punctuated; of two schemes (Spec §2.4)",
  },
  illFormedIds: {
    values: ["looked-up", "no-route", "no-route-with-key"],
    about: "whether a malformed identifier is looked up, or gets 404 before the key or limit check",
  },
  times: {
    values: ["even", "varying"],
    about: "whether runs, queues, answers and retries take as long each time (Spec §3)",
  },
  dwell: {
    values: ["0.1", "0"],
    about: "least number of seconds for which a job is queued, and is starting",
  },
  startUp: {
    values: ["warm", "cold"],
    about: "whether a worker that was idle for 20 s takes 2 s to start (Spec §3.1)",
  },
  startStamp: {
    values: ["running", "starting"],
    about: "state in which a job gets its `started_at`, variant B only (Spec §2.5)",
  },
  durationOf: {
    values: ["run", "work", "finer"],
    about: "`duration_ms` of the run, of its work (variant A only), or of finer times (Spec §2.5)",
  },
  storedAfter: {
    values: ["0", "1.5"],
    about: "seconds for which a finished job is shown as running, while its result is stored",
  },
  costAfter: {
    values: ["0", "3"],
    about: "seconds after its end until a job states its cost (Spec §2.5, §2.8)",
  },
  jobViews: {
    values: ["0", "1"],
    about: "seconds for which the view of a job is cached (Spec §4.4)",
  },
  listLag: { values: ["0", "2"], about: "seconds until a job appears in the job list (Spec §4.5)" },
  listLength: { values: ["100", "20"], about: "maximum length of the job list (Spec §4.5)" },
  stamps: {
    values: ["ms", "us", "s", "trimmed", "basic", "small", "zeros", "scheduler"],
    about:
      "format of timestamps; `s` and `trimmed` in variant A only; `zeros`: whole seconds, and " +
      "then `.000`; `scheduler`: so the run's alone, and its duration (Spec §2.5)",
  },
  partialResults: {
    values: ["no", "yes"],
    about: "whether a failed or timed-out job has a partial result",
  },
  errorMessages: {
    values: ["text", "empty"],
    about: "whether error messages have a text (Spec §7)",
  },
  extraFields: {
    values: ["no", "yes"],
    about: "whether objects have undocumented fields",
  },
  submitTime: { values: ["0", "0.1"], about: "seconds until a submission is answered" },
  limitCheck: {
    values: ["at-once", "each-second", "late", "early"],
    about: "when runs are stopped: at their limit, or just within the tolerance (Spec §2.3)",
  },
  webhookWait: {
    values: ["exact", "late", "early"],
    about: "when a retry comes: on time, or just within the tolerance (Spec §6)",
  },
  webhookAfter: {
    values: ["0", "2", "up to 4"],
    about: "seconds from a job's end to the first delivery, as with an outbox (Spec §6)",
  },
  webhookConnections: {
    values: ["new", "kept"],
    about: "whether each delivery uses a new connection (RFC 9112 §9.3)",
  },
  firedAt: {
    values: ["first", "attempt"],
    about: "whether a retry repeats the first `fired_at` or has its own (Spec §6)",
  },
  jsonStyle: {
    values: ["compact", "pretty", "escaped"],
    about: "format of JSON: compact, with spaces, with escaped slashes and letters (RFC 8259 §7)",
  },
  fieldOrder: {
    values: ["fixed", "varying"],
    about: "whether an object's members always have the same order (RFC 8259 §4)",
  },
  contentType: {
    values: ["charset", "plain", "vendor"],
    about: "content type of JSON: with a charset, without, vendor-specific (RFC 6839 §3.1)",
  },
  fileUrls: {
    values: ["once", "each-time"],
    about: "whether a file's URL is signed at the job's end or anew for each poll (Spec §2.7)",
  },
  amounts: {
    values: ["decimal", "binary"],
    about: "whether amounts are rounded to decimals or show errors of binary fractions",
  },
  balanceDigits: {
    values: ["all", "coarse"],
    about: "precision of the balance: whole credits and cents, or exact (Spec §2.10)",
  },
  balanceAfter: {
    values: ["0", "3"],
    about: "seconds from a job's end until its charge or refund is in the balance (Spec §2.10)",
  },
  usageTotals: {
    values: ["no", "yes"],
    about: "whether totals of usage are shown beside the balance (Spec §2.10)",
  },
  costBy: {
    values: ["price", "time", "seconds", "least", "discount"],
    about: "cost of a run: its price, more by its time or started seconds, a minimum, or less",
  },
  retryAfterExtra: {
    values: ["0", "2"],
    about: "seconds that Retry-After adds to the necessary wait (RFC 9110 §10.2.3)",
  },
  foundAfter: {
    values: ["0", "0.1"],
    about: "seconds until a job can be found by its identifier (Spec §4.4)",
  },
  slots: {
    values: ["few", "double", "unlimited"],
    about: "how many jobs a worker runs at once: a few, twice as many, or all",
  },
  queueOrder: {
    values: ["fifo", "lifo", "random"],
    about: "which queued job runs next; the specification names no order",
  },
  runsFail: {
    values: ["no", "every-97th"],
    about: "whether runs occasionally fail with valid input (Spec §3.1)",
  },
  systemCancels: {
    values: ["no", "every-89th"],
    about: "whether the service occasionally cancels a queued job (Spec §3.1, §3.2)",
  },
  errorCodes: {
    values: ["text", "number"],
    about: "type of a job error's code, which the specification leaves open (Spec §7)",
  },
  names: {
    values: ["plain", "special"],
    about: "whether names and categories contain characters that URLs escape (Spec §2.2)",
  },
  schemaDialect: {
    values: ["draft-07", "none", "2020-12", "openapi", "referring"],
    about: "dialect that input schemas declare, or a reference to one within (Spec §2.3)",
  },
  listOf: {
    values: ["account", "key"],
    about: "whether the job list covers the account or only the key (Spec §4.5: the caller's)",
  },
  balanceUnit: {
    values: ["credits-and-usd", "credits", "usd", "tokens", "cents"],
    about: "units of the balance; tokens are neither credits nor USD (Spec §2.10)",
  },
  tokenWorth: {
    values: ["3.7", "1.33", "0.075", "10"],
    about: "how many tokens a credit is worth, where the balance is in tokens (Spec §2.10)",
  },
  balanceText: {
    values: ["number", "text"],
    about: "whether the balance is a JSON number or decimal text (Spec §2.10)",
  },
  balanceOf: {
    values: ["left", "owed"],
    about: "whether the balance is what is left, or what a postpaid account owes (Spec §2.10)",
  },
  included: {
    values: ["no", "first"],
    about: "whether included credits or USD, shown apart, are used up first (Spec §2.9)",
  },
  chargeStep: {
    values: ["none", "nearest", "up"],
    about: "how charges are rounded to whole tokens (not dear ones), or costs to whole credits",
  },
  booked: {
    values: ["singly", "each-minute", "each-10-s"],
    about:
      "booked one by one, or as sums without holds: of all, or each 10 s of an account (§2.10)",
  },
  payments: {
    values: ["no", "each-700th", "fees"],
    about: "whether an account is paid into while its jobs run, or a fee taken (Spec §2.10)",
  },
  keylessLimit: {
    values: ["none", "few"],
    about: "whether requests without a key that is known have a limit of their own (Spec §8)",
  },
  creditViews: {
    values: ["0", "4"],
    about: "seconds for which the view of the credits is cached (Spec §4)",
  },
  jobReaders: {
    values: ["account", "any-key"],
    about: "who can read a job by its identifier: its account, or any valid key (Spec §4.4)",
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

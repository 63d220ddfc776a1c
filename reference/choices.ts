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
    values: ["none", "page", "cursor", "offset", "next", "link-header"],
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
    values: ["jobs", "items", "data", "array"],
    about: "where the job list stands: a field of that name or a bare array (Spec §4.5)",
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
  chargeFailed: { values: ["no", "yes"], about: "whether a failed job costs its price" },
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

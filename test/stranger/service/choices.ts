/** Where the specification is silent or allows more than one thing; the first of each is usual. */

const STRANGER_CHOICES = {
  id: ["uuid", "ulid", "counter", "long", "base64url", "colons"],
  latency: ["brisk", "even", "sluggish"],
  limiter: [
    "bucket",
    "ticking-bucket",
    "gcra",
    "fixed-window",
    "clock-window",
    "sliding-log",
    "sliding-counter",
  ],
  retryAfter: ["seconds", "http-date", "generous"],
  rateHeaders: ["none", "x-ratelimit", "ratelimit-policy"],
  pool: ["per-worker", "first-in-line", "fair"],
  napSlots: ["4", "5", "8"],
  coldStart: ["none", "first", "each"],
  startedAt: ["running", "starting", "corrected"],
  viewLag: ["none", "short", "long"],
  listLag: ["none", "short", "long"],
  billing: ["at-end", "hold", "settles-later"],
  balanceView: ["live", "cached"],
  failedCost: ["full", "free"],
  creditWorth: ["dollar", "cent"],
  balanceField: ["credits", "balance", "nested", "remaining"],
  priceSize: ["plain", "tiny", "odd-floats"],
  infra: ["none", "some"],
  stamps: ["milliseconds", "offset", "seconds", "microseconds"],
  missing: ["null", "absent", "empty"],
  extras: ["none", "links", "progress", "nested"],
  order: ["usual", "reversed", "sorted"],
  headerCase: ["canonical", "lower", "upper"],
  contentType: ["plain", "charset", "charset-upper", "html"],
  jsonText: ["compact", "pretty", "ascii"],
  dateHeader: ["none", "present"],
  etag: ["none", "strong", "weak"],
  requestId: ["none", "header"],
  errorBody: ["same", "detail", "list", "empty", "html"],
  authCodes: ["one", "each", "nested-extra"],
  unknownRoute: ["404-first", "401-first"],
  wrongMethod: ["405", "404"],
  head: ["405", "served"],
  trailingSlash: ["404", "same"],
  publicList: ["no", "yes"],
  checkOrder: ["worker-first", "body-first", "money-first"],
  schemaWords: ["draft-07", "2020-12", "bare"],
  strictInput: ["no", "yes"],
  coercion: ["none", "numbers", "texts"],
  priorities: ["any", "closed"],
  limitField: ["timeout_seconds", "max_duration"],
  readme: ["null", "text"],
  paging: ["none", "cursor", "numbers", "link-header", "silent", "counted"],
  textMatch: ["substring", "words"],
  jobListShape: ["jobs", "bare", "data", "summary"],
  jobListOrder: ["newest-first", "oldest-first"],
  jobListMost: ["100", "50"],
  location: ["none", "present"],
  cancelMethod: ["DELETE", "POST", "PATCH"],
  cancelAnswer: ["200", "204", "202-later"],
  cancelRefusal: ["409", "200-unchanged", "400"],
  cancelledEnd: ["stamped", "unstamped"],
  publishAnswer: ["200", "201", "202", "204"],
  deadline: ["exact", "sweep", "late"],
  webhookWaitFrom: ["end", "start"],
  webhookJitter: ["none", "some"],
  courierConnections: ["new", "kept"],
  deliveriesAtOnce: ["any", "8", "3", "1"],
  webhookLag: ["none", "short", "long"],
  webhookBody: ["full", "bare"],
  otherEvents: ["by-state", "finished"],
  otherSuccess: ["failure", "success"],
  firedAt: ["first", "each-attempt"],
  signature: ["hex", "prefixed", "base64", "timestamped"],
  filesUrl: ["stable", "signed-anew"],
  unicodeOutput: ["no", "yes"],
  money: ["exact", "rounded-up"],
  mirrored: ["object", "list"],
  zeroMilliseconds: ["written", "dropped"],
  fileOrder: ["kept", "any"],
  resultLinks: ["none", "signed"],
  categories: ["flat", "any-case", "tree", "several"],
  serviceField: ["none", "ignored"],
  cancelledDuration: ["none", "life"],
  namelessClients: ["served", "refused"],
  signatureHeader: ["neutral", "own", "untold"],
  fileAddresses: ["lasting", "short"],
  pricing: ["per-run", "one-by-event"],
  controlFields: ["apart", "in-schema"],
  controlSchema: ["none", "listed"],
  linkForm: ["absolute", "path", "ttl"],
  webhookAddresses: ["any", "short"],
  balanceAge: ["seconds", "longer"],
  wallet: ["none", "usd"],
  freeWorkers: ["none", "one", "all"],
  jobEdges: ["none", "of-nodes", "of-links"],
  signatureVersion: ["none", "one", "of-both-keys"],
  bodyLimit: ["none", "4000"],
  leastFields: ["none", "one"],
  listedWorkers: ["all", "others"],
  lookup: ["limited", "before-limit"],
  ownWorkers: ["of-all", "of-one-account"],
  refusals: ["prompt", "held", "held-unevenly"],
  mirroredText: ["as-sent", "in-ascii", "without-accents", "in-nfd"],
  requestsLeft: ["untold", "counted"],
  refusalFrom: ["service", "gateway"],
  idLookup: ["exact", "any-case"],
  unknownCategory: ["empty", "404", "400"],
  acceptedStamp: ["same", "finer"],
  openFields: ["none", "estimates"],
  fileVia: ["direct", "redirect"],
  secrets: ["one", "of-accounts"],
  segments: ["decoded", "as-sent"],
  queries: ["any", "short", "shortest"],
  costText: ["stored", "summed-at-times"],
  balanceParts: ["left", "with-held"],
  fileLength: ["told", "untold"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

/** Never drawn, as some objective of a load does not bear it, or not all can be seen. */
const RARE_CHOICES = {
  startUp: ["short", "long-and-uncounted"],
  secretsTold: ["all", "one"],
  timeoutHolds: ["end-with-the-job", "last-on", "a-minute"],
  penalty: ["none", "8-s"],
  twins: ["none", "unlisted"],
  guesses: ["any", "429-after-20", "403-after-20"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

const ALL_CHOICES = { ...STRANGER_CHOICES, ...RARE_CHOICES };

type Choices = typeof ALL_CHOICES;
type Dimension = keyof Choices;
export type Picks = { readonly [Name in Dimension]: Choices[Name][number] };

const DRAWN = Object.keys(STRANGER_CHOICES) as readonly (keyof typeof STRANGER_CHOICES)[];
const DIMENSIONS = Object.keys(ALL_CHOICES) as readonly Dimension[];

/** Throws on a choice that nobody knows. */
export function picksOf(choices: readonly string[]): Picks {
  const usual = DIMENSIONS.map((name): [string, string] => [name, ALL_CHOICES[name][0]]);
  const picks = new Map(usual);
  for (const choice of choices) {
    const [name = "", value = ""] = choice.split("=");
    const values: readonly string[] | undefined = ALL_CHOICES[name as Dimension];
    if (values?.includes(value) !== true) throw new Error(`unknown choice "${choice}"`);
    picks.set(name, value);
  }
  return Object.fromEntries(picks) as unknown as Picks;
}

/** Each dimension departs from what is usual half of the time. */
export function drawChoices(draw: () => number): string[] {
  const chosen: string[] = [];
  for (const name of DRAWN) {
    const [, ...others] = STRANGER_CHOICES[name];
    const index = Math.floor(draw() * 2 * others.length);
    const value = others[index];
    if (value !== undefined) chosen.push(`${name}=${value}`);
  }
  return chosen;
}

/**
 * What the query address is asked, read field by field. Ours throughout. Without a schema library,
 * whose import would take half of the start of the receiver's thread, in each gate and probe.
 */

/** Ours: shorter than the 60 s after which k6 gives a request up. */
const WAIT_MS_MAX = 30_000;
/** Ours: a page of usual deliveries then takes about a megabyte. */
const PAGE_DEFAULT = 500;
const PAGE_MAX = 5_000;

/** A question that gets this status in place of an answer. */
export class QueryError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Waiting {
  waitMs: number;
  /** Cuts the text of bodies in the answer, for readers that don't need all of it. */
  bodyChars?: number | undefined;
}

export interface DeliveriesQuery extends Waiting {
  /** From which delivery on, by token. */
  tokens: ReadonlyMap<string, number>;
}

export interface ArrivalsQuery extends Waiting {
  after: number;
  limit: number;
  prefix: string;
}

/** `GET /deliveries?token=…&token=…&after=N&waitMs=M`. */
export function readDeliveriesQuery(value: unknown): DeliveriesQuery {
  const fields = fieldsOf(value, ["token", "after", ...WAITING]);
  const after = whole(fields, "after") ?? 0;
  const { token } = fields;
  const tokens = texts("token", typeof token === "string" ? [token] : token);
  return { tokens: new Map(tokens.map((each) => [each, after])), ...waitingOf(fields) };
}

/** `POST /deliveries`: the same for tokens that were read to different points. */
export function readDeliveriesRequest(value: unknown): DeliveriesQuery {
  const fields = fieldsOf(value, ["tokens", ...WAITING]);
  const after = fieldsOf(fields.tokens, null, "tokens");
  const tokens = Object.keys(after).map((token) => [token, whole(after, token) ?? 0] as const);
  return { tokens: new Map(tokens), ...waitingOf(fields) };
}

/** `GET /arrivals?after=SEQUENCE&waitMs=M&limit=K&prefix=P`. */
export function readArrivalsQuery(value: unknown): ArrivalsQuery {
  const fields = fieldsOf(value, ["after", "limit", "prefix", ...WAITING]);
  const { prefix = "" } = fields;
  if (typeof prefix !== "string") throw new QueryError(400, "prefix: expected a text");
  const limit = whole(fields, "limit", 1, PAGE_MAX) ?? PAGE_DEFAULT;
  return { after: whole(fields, "after") ?? 0, limit, prefix, ...waitingOf(fields) };
}

/** `POST /forget`: the tokens. */
export function readForgetRequest(value: unknown): readonly string[] {
  return texts("tokens", fieldsOf(value, ["tokens"]).tokens);
}

const WAITING = ["waitMs", "bodyChars"];

function waitingOf(fields: Fields): Waiting {
  const waitMs = whole(fields, "waitMs", 0, WAIT_MS_MAX) ?? 0;
  return { waitMs, bodyChars: whole(fields, "bodyChars") };
}

type Fields = Readonly<Record<string, unknown>>;

/** An object that has no other fields than these; null: any. */
function fieldsOf(value: unknown, names: readonly string[] | null, what = "the question"): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new QueryError(400, `${what}: expected an object`);
  }
  const other = names === null ? [] : Object.keys(value).filter((name) => !names.includes(name));
  if (other.length === 0) return { ...value };
  throw new QueryError(400, `unknown: ${other.join(", ")}; expected ${names?.join(", ")}`);
}

/** As text or number; undefined where there is none. */
function whole(
  fields: Fields,
  name: string,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const number =
    typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
  throw new QueryError(400, `${name}: expected a whole number from ${min} to ${max}`);
}

function texts(name: string, value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
  if (!isList) throw new QueryError(400, `${name}: expected a list of texts`);
  return value;
}

/** Identifiers of jobs, in the schemes that services have. Spec §2.4. */

import type { Choices } from "../choices.ts";
import { type Random, randomHex } from "../random.ts";

interface Scheme {
  make(random: Random, count: number): string;
  /** What an identifier of it looks like. */
  form: RegExp;
}

/** Ours: longer ones do not fit into this service's paths beside a file's number. */
const LONG_GROUPS = 10;
/** Milliseconds in the upper 42 bits, then machine and sequence: farther apart than 1. */
const SNOWFLAKES_FROM = 1_733_333_333_333_333_333n;
const SNOWFLAKES_APART = 4_194_304n;
/** Crockford's digits, which ULIDs are written in. */
const BASE_32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Ours: others were counted before. */
const COUNTED_FROM = { number: 4_210_000, short: 1_300 } as const;
/** Ours: so that few runs meet one scheme alone. */
const OLD_SHARE = 0.5;

const SCHEMES: Readonly<Record<Choices["jobIds"], Scheme>> = {
  hex: { make: (random) => `job_${randomHex(random, 4)}`, form: /^job_[0-9a-f]{32}$/ },
  uuid: { make: uuid, form: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
  ulid: { make: ulid, form: /^01[0-9A-HJKMNP-TV-Z]{24}$/ },
  number: { make: (_random, count) => `${COUNTED_FROM.number + count}`, form: /^[0-9]{1,12}$/ },
  short: {
    make: (_random, count) => `j${(COUNTED_FROM.short + count).toString(36)}`,
    form: /^j[0-9a-z]{2,8}$/,
  },
  long: {
    make: (random) => `job:eu-1.${randomHex(random, LONG_GROUPS)}~v1`,
    form: /^job:[a-z]+-[0-9]\.[0-9a-f]{80}~v[0-9]$/,
  },
  base64: { make: base64, form: /^[A-Za-z0-9+_]{22}==$/ },
  snowflake: {
    make: (_random, count) => `${SNOWFLAKES_FROM + BigInt(count) * SNOWFLAKES_APART}`,
    form: /^[0-9]{17,20}$/,
  },
  // While a service is replaced, some come from the version before.
  two: {
    make: (random, count) =>
      random() < OLD_SHARE ? `${COUNTED_FROM.number + count}` : uuid(random),
    form: /^([0-9]{1,12}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
  },
};

/** Makes identifiers, none of them twice. */
export function jobIds(scheme: Choices["jobIds"], random: Random): () => string {
  let count = 0;
  return () => {
    count += 1;
    return SCHEMES[scheme].make(random, count);
  };
}

export function hasJobIdForm(scheme: Choices["jobIds"], id: string): boolean {
  return SCHEMES[scheme].form.test(id);
}

function uuid(random: Random): string {
  const hex = randomHex(random, 4);
  const [a, b, c, d, e] = [0, 8, 12, 16, 20].map((at, n) => hex.slice(at, [8, 12, 16, 20][n]));
  return [a, b, c, d, e].join("-");
}

/** 16 bytes; no slash, which would end a part of a path. */
function base64(random: Random): string {
  return Buffer.from(randomHex(random, 4), "hex").toString("base64").replaceAll("/", "_");
}

/** Rising with time, as far as the first digits tell. */
function ulid(random: Random, count: number): string {
  const digit = (value: number) => BASE_32[value % BASE_32.length] ?? "0";
  const time = [5, 4, 3, 2, 1, 0].map((place) =>
    digit(Math.floor(count / BASE_32.length ** place)),
  );
  const rest = Array.from({ length: 18 }, () => digit(Math.floor(random() * BASE_32.length)));
  return `01${time.join("")}${rest.join("")}`;
}

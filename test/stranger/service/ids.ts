/** Identifiers of jobs: opaque to clients, prefixed. Spec §2.4. */

import type { House } from "./ports.ts";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const HEX = "0123456789abcdef";

export function newId(house: House, sequence: number, account: string): string {
  const { picks, trouble, ports, now } = house;
  if (trouble.has("ids-of-the-tick")) return `job_${Math.floor(now() / 40)}${account}`;
  const drawn = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(ports.random() * alphabet.length)]).join("");
  switch (picks.id) {
    case "uuid": {
      const [a, b, c] = [drawn(HEX, 8), drawn(HEX, 4), drawn(HEX, 3)];
      return `job_${a}-${b}-4${c}-a${drawn(HEX, 3)}-${drawn(HEX, 12)}`;
    }
    case "ulid":
      return `job_01${drawn(CROCKFORD, 24)}`;
    case "counter":
      return `job-${String(1_000_000 + sequence * 7)}`;
    case "long":
      return `run.${drawn(HEX, 180)}`;
    case "base64url":
      return `j_${drawn(URL_SAFE, 22)}`;
    case "colons":
      return `eu-1:job:${drawn(CROCKFORD, 20)}`;
  }
}

/** Text that nobody can guess, for tokens of webhooks. */

import { randomBytes } from "k6/crypto";

/** Ours: 16 bytes of the system's own chance; a seeded series could be continued from a part. */
const SECRET_BYTES = 16;

/** 32 hexadecimal digits. */
export function newSecret(): string {
  const bytes = [...new Uint8Array(randomBytes(SECRET_BYTES))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

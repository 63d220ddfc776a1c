/** Tokens of webhooks, which nobody can guess. */

import type { World } from "../world/world.ts";

/** Ours: 16 bytes of the system's own chance; a seeded series could be continued from a part. */
const TOKEN_BYTES = 16;

/** 32 hexadecimal digits. */
export function newToken(world: World): string {
  const bytes = [...world.randomBytes(TOKEN_BYTES)];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Timestamps as the service writes them. Spec §2.4, §2.5. */

import type { House } from "./ports.ts";

/** As it stands in memory, before a store cuts it. */
export function finest(atMs: number, { variant }: House): string {
  const text = new Date(atMs).toISOString();
  return variant === "A" ? text : text.replace("Z", "637Z");
}

/** ISO 8601 in UTC; where no milliseconds are asked for, seconds or microseconds may do. */
export function stamp(atMs: number, { variant, picks, trouble }: House): string {
  const text = new Date(atMs).toISOString();
  if (trouble.has("unpadded-milliseconds")) {
    return text.replace(/\.0{0,2}(\d+)Z$/, (_, digits: string) => `.${digits}Z`);
  }
  if (trouble.has("zoneless-at-second-59") && new Date(atMs).getUTCSeconds() === 59) {
    return text.slice(0, -1);
  }
  const { stamps } = picks;
  const written = picks.zeroMilliseconds === "dropped" ? text.replace(".000Z", "Z") : text;
  if (stamps === "offset") return written.replace("Z", "+00:00");
  if (variant === "B" || stamps === "milliseconds") return written;
  return stamps === "seconds" ? text.replace(/\.\d+Z/, "Z") : text.replace("Z", "000Z");
}

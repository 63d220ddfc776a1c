/** Chance from a seed: streams by name, so that one more draw in one place moves no other. */

import { seededUniform } from "../contract/numbers/random.ts";

/** A source of numbers, uniform in [0, 1). */
export type Draw = () => number;

/** Ours: 32 bits of a name; FNV-1a (Fowler, Noll, Vo). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export function stream(seed: number, name: string): Draw {
  return seededUniform(seed ^ hashOf(name));
}

/** Exponential with that mean. */
export function exponential(draw: Draw, mean: number): number {
  return mean === 0 ? 0 : -mean * Math.log(1 - draw());
}

export function between(draw: Draw, low: number, high: number): number {
  return low + (high - low) * draw();
}

/** Of the form of a random UUID. RFC 9562 §5.4. */
export function uuid(draw: Draw): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(draw() * 16).toString(16)).join("");
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)];
  return `${a}-${b}-4${c}-8${d}-${hex.slice(20)}`;
}

export function bytes(draw: Draw, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => Math.floor(draw() * 256));
}

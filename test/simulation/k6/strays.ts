/** Functions that touch what k6 does not have, and one that does not; run as k6 would run them. */

export const strays = {
  URL: () => new URL("http://a/"),
  URLSearchParams: () => new URLSearchParams("a=b"),
  process: () => process.pid,
  Buffer: () => Buffer.from("a"),
  fetch: () => fetch("http://a/"),
  setImmediate: () => setImmediate(() => {}),
  structuredClone: () => structuredClone({}),
  performance: () => performance.now(),
  AbortController: () => new AbortController(),
  queueMicrotask: () => queueMicrotask(() => {}),
  Intl: () => new Intl.NumberFormat(),
  WeakRef: () => new WeakRef({}),
};

export const strayMembers = {
  "Promise.withResolvers": () => Promise.withResolvers(),
  "Object.groupBy": () => Object.groupBy([1], String),
  "of String": () => "a".toWellFormed(),
  "of iterators": () => ([1].values() as unknown as number[]).map(String),
};

export function lawful(): string {
  const sorted = [3, 1, 2].toSorted((a, b) => a - b);
  return JSON.stringify(new Map([["sorted", sorted]]).get("sorted"));
}

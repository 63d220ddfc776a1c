/** Applies a redactor to every text inside a value, so that JSON made of it stays well-formed. */

/** Names are redacted too: evidence may be keyed by what an answer said. */
export function redactDeep<T>(value: T, redact: (text: string) => string): T {
  return walk(value, redact) as T;
}

function walk(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((each: unknown) => walk(each, redact));
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([name, each]) => [redact(name), walk(each, redact)]);
  return Object.fromEntries(pairs) as unknown;
}

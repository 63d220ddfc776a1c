/** Bodies that are read as JSON, each by several in turn. */

import { nestsTooDeep } from "./nesting.ts";

/**
 * Reads the body as JSON, not to be changed; `undefined` where it is not JSON,
 * or nests deeper than anybody walks. The value of the one that was read last is kept: who counts
 * it, decodes it and holds it against another ask one after the other.
 */
export function jsonReader<Holder extends { readonly body: string }>(): (of: Holder) => unknown {
  let last: { of: Holder; value: unknown } | null = null;
  return (of) => {
    if (last?.of !== of) last = { of, value: parse(of.body) };
    return last.value;
  };
}

function parse(text: string): unknown {
  if (nestsTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

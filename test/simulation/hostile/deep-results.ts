/**
 * A service whose results are nested as deeply as no reader expects, in legal JSON: in the answers
 * to polls, and in webhooks. It keeps all promises.
 */

import type { Fault } from "../../../reference/faults/fault.ts";
import { faultOf } from "../../../reference/faults/fault.ts";

const PLACE = "0 nested";

/** Lists within lists, closed. */
export function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

export function deepResults(levels: number): Fault {
  return faultOf("job.shape", "deep-results", "results nest deeply", () => ({
    answer: (answer, { request, job }) => {
      if (request.method !== "GET" || job === null) return answer;
      return { ...answer, text: deepened(JSON.stringify(answer.body), levels) };
    },
    post: (post, { signedHeaders }) => {
      const body = deepened(post.body, levels);
      return { ...post, body, headers: { ...post.headers, ...signedHeaders(body) } };
    },
  }));
}

/** With the lists in each of its results, however those are named. */
function deepened(text: string, levels: number): string {
  const body = JSON.parse(text, (name, value: unknown) => {
    const isResult = (name === "result" || name === "data") && isFilled(value);
    return isResult ? { ...value, nested: PLACE } : value;
  }) as unknown;
  return JSON.stringify(body).replaceAll(JSON.stringify(PLACE), nested(levels));
}

function isFilled(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A service whose results are nested as deeply as no reader expects, in legal JSON: in the answers
 * to polls, and in webhooks. It keeps all promises.
 */

import type { Fault } from "../../../reference/faults/fault.ts";
import { faultOf } from "../../../reference/faults/fault.ts";
import type { Job } from "../../../reference/jobs/job.ts";

const PLACE = "0 nested";

/** Lists within lists, closed. */
export function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

/** Each result, or what the first so many reads of a job with a result show. */
export function deepResults(levels: number, reads = Number.POSITIVE_INFINITY): Fault {
  return faultOf("job.shape", "deep-results", "results nest deeply", () => {
    const left = new WeakMap<Job, number>();
    return {
      answer: (answer, { request, job }) => {
        if (request.method !== "GET" || job === null) return answer;
        const text = deepened(JSON.stringify(answer.body), levels);
        const more = left.get(job) ?? reads;
        if (text === null || more === 0) return answer;
        left.set(job, more - 1);
        return { ...answer, text };
      },
      post: (post, { signedHeaders }) => {
        const body = deepened(post.body, levels) ?? post.body;
        return { ...post, body, headers: { ...post.headers, ...signedHeaders(body) } };
      },
    };
  });
}

/** With the lists in each of its results, however those are named; null where there is none. */
function deepened(text: string, levels: number): string | null {
  const body = JSON.parse(text, (name, value: unknown) => {
    const isResult = (name === "result" || name === "data") && isFilled(value);
    return isResult ? { ...value, nested: PLACE } : value;
  }) as unknown;
  const placed = JSON.stringify(body);
  const place = JSON.stringify(PLACE);
  return placed.includes(place) ? placed.replaceAll(place, nested(levels)) : null;
}

function isFilled(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Asks for the files of a job as soon as its end was seen, without a key: their addresses may be
 * signed once and live for a minute; who counts their bytes comes after the scenario. Spec §2.7.
 */

import type { FileEntry } from "../../contract/decode/job-types.ts";
import type { FileTried } from "../../contract/jobs/job-history.ts";
import { marksIn } from "../../contract/jobs/marks.ts";
import { LONGEST_VIEW_LAG_MS, VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import { BODY_LENGTH_MAX, isClientError, isSuccess } from "../../contract/requests/exchange.ts";
import type { WireResponse, World } from "../world/world.ts";
import type { Context } from "./context.ts";
import type { FollowedJob } from "./followed/followed-job.ts";

/** Ours: as many as are downloaded later. */
const FILES_MAX = 5;
/** Ours: files may be stored late for some jobs alone. */
const JOBS_MAX = 3;
/** Ours: a storage that takes longer says nothing. */
const TIMEOUT_MS = 10_000;
/** Ours: a text names what it is about at its beginning, and so little costs a storage nothing. */
const HEAD_BYTES = 4_096;
const HEAD = { Range: `bytes=0-${HEAD_BYTES - 1}` } as const;
/** Ours: storage services redirect once or twice. */
const REDIRECTS_MAX = 3;

/** Of the first jobs that have files. */
export async function tryFiles({ world, jobs }: Context, job: FollowedJob): Promise<void> {
  const files = (job.end?.files ?? []).filter(isSmall).slice(0, FILES_MAX);
  const tried = jobs.filter(({ filesTried }) => filesTried !== undefined).length;
  if (files.length === 0 || tried >= JOBS_MAX) return;
  job.filesTried = [];
  const there = () => jobs.flatMap((each) => each.filesTried ?? []).findLast(isSuccess)?.url;
  job.filesTried = await Promise.all(files.map(({ url }) => tryFile(world, url, there)));
}

/** k6 keeps a whole answer, and not every storage sends a part of a file. */
export function isSmall({ sizeBytes, url }: FileEntry): boolean {
  return sizeBytes > 0 && sizeBytes <= BODY_LENGTH_MAX && /^https?:\/\//i.test(url);
}

/** A file that is refused is asked for again so long after, until it is past what may lag. */
const AGAIN_AFTER_MS = [VIEW_LAG_MS, LONGEST_VIEW_LAG_MS] as const;

/**
 * A file may be stored a moment after the end of its job is shown: what it is by then counts. Not
 * every storage sends a part of a file: at last the whole is asked for. `there`: the address of a
 * file that was there before; refused alike, the storage is away for a moment, and nothing is told.
 */
export async function tryFile(
  world: World,
  url: string,
  there: () => string | undefined = () => undefined,
): Promise<FileTried> {
  const startMs = world.now();
  const first = await asked(world, url, HEAD);
  let answer = first;
  for (const afterMs of AGAIN_AFTER_MS) {
    if (!isClientError(answer)) break;
    await world.delay(startMs + afterMs - world.now());
    answer = await asked(world, url, afterMs === AGAIN_AFTER_MS.at(-1) ? {} : HEAD);
  }
  if (isSuccess(answer) && answer !== first) return { ...answer, firstStatus: first.status };
  const other = isClientError(answer) ? there() : undefined;
  if (other === undefined) return answer;
  const isAway = (await asked(world, other, HEAD)).status === answer.status;
  return isAway ? { url, status: 0, bytes: null } : answer;
}

/** Where an address leads elsewhere, what is there counts: it may live no longer than that. */
async function asked(
  world: World,
  url: string,
  part: Readonly<Record<string, string>>,
): Promise<FileTried> {
  let at = url;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await world.request({
      method: "GET",
      url: at,
      headers: { Accept: "*/*", ...part },
      body: null,
      timeoutMs: TIMEOUT_MS,
      name: "GET file",
    });
    const { status, headers } = answer;
    const next = status >= 300 && status < 400 ? locationOf(headers.location ?? "", at) : null;
    if (next === null || redirects === REDIRECTS_MAX) {
      const marks = marksIn(answer.body.slice(0, HEAD_BYTES));
      return { url, status, bytes: bytesOf(answer), ...(marks.length === 0 ? {} : { marks }) };
    }
    at = next;
  }
}

/** Whole, or a path on the same host; k6 has no `URL` that could resolve others. */
function locationOf(location: string, from: string): string | null {
  if (/^https?:\/\//i.test(location)) return location;
  const origin = /^https?:\/\/[^/?#]+/i.exec(from)?.[0] ?? "";
  return /^\/(?!\/)/.test(location) ? `${origin}${location}` : null;
}

/**
 * The size of the whole file, as the head of the answer tells it, or as it came where a storage
 * streams it without a length. RFC 9110 §8.6, §14.4.
 */
function bytesOf({ status, headers, body }: WireResponse): number | null {
  const { "content-encoding": coding = "identity", "content-range": range = "" } = headers;
  if (coding !== "identity") return null;
  if (status === 200 && headers["content-length"] === undefined) return bytesIn(body);
  const told = status === 206 ? /^bytes .*\/(\d+)$/i.exec(range)?.[1] : headers["content-length"];
  return told === undefined || !/^\d+$/.test(told) ? null : Number(told);
}

/** Stands for bytes that are no UTF-8, for one or several, where a body is read as text. */
const NO_TEXT = "\ufffd";

/** As UTF-8; null where it is no text, or where nothing came. RFC 3629 §3. */
function bytesIn(body: string): number | null {
  if (body === "" || body.includes(NO_TEXT)) return null;
  let bytes = 0;
  for (const character of body) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/**
 * Witness of job.files-readable: k6 reads answers as text, Node counts their bytes. It looks at
 * jobs that the run has left, but for those that were seen to end without files; each file is asked
 * for once, without a key. Where its address has expired since, what k6 was told at the job's end
 * counts. Spec §2.7.
 */

import { jobIn } from "../../contract/decode/job.ts";
import type { FileEntry } from "../../contract/decode/job-types.ts";
import type { FileTried } from "../../contract/jobs/job-history.ts";
import { isRefusedFile, lateText } from "../../contract/judges/job/files-after.ts";
import { countText } from "../../contract/numbers/figures.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import { isInternal } from "../../contract/requests/loopback.ts";
import { looksAt } from "../../contract/strength.ts";
import { quoted } from "../../contract/text/quoted.ts";
import type { Finding } from "../../contract/verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../contract/verdict.ts";
import type { Download } from "../../http/download.ts";
import type { SubmittedJob } from "./submitted-jobs.ts";
import type { Ask, NodeWitness, Scene, Testimony } from "./witness.ts";

const PROMISE = "job.files-readable";

/** Ours: jobs that are read until some have files, and files of them that are asked for. */
const JOBS_MAX = 10;
const FILES_MAX = 5;
/** Ours: storage services redirect once or twice. */
const REDIRECTS_MAX = 3;

export const filesReadableWitness: NodeWitness = {
  name: "files-readable",
  promise: PROMISE,
  looksAtJobsOf: "job.files",
  look,
};

interface Tried {
  job: string;
  file: FileEntry;
  exchange: Exchange;
  download: Download;
  /** What the same address answered at the job's end; null where it was not asked then. */
  before: FileTried | null;
  /** The run was shown no other address: it may have been signed once, at the job's end. */
  mayBeOld: boolean;
}

interface Found {
  files: readonly Omit<Tried, "download">[];
  /** All jobs are of variant A, which has no files. */
  isOfA: boolean;
}

async function look(ask: Ask, { plan, jobs, download }: Scene): Promise<Testimony> {
  const tried: Tried[] = [];
  const { files, isOfA } = await filesOfJobs(ask, jobs);
  if (isOfA) return { finding: unobserved(PROMISE, "variant A has no files"), notes: [] };
  for (const each of files) {
    tried.push({ ...each, download: await followed(each.file.url, download) });
  }
  return { finding: conclude(tried, plan.baseUrl), notes: [] };
}

async function filesOfJobs(ask: Ask, jobs: readonly SubmittedJob[]): Promise<Found> {
  const files: Omit<Tried, "download">[] = [];
  const variants = new Set(jobs.flatMap(({ withoutFiles }) => withoutFiles ?? []));
  const readable = jobs.filter(({ withoutFiles }) => withoutFiles === null);
  for (const { id, fileUrls, filesTried } of readable.slice(0, JOBS_MAX)) {
    const exchange = await ask({ route: "job", parameter: id });
    const job = jobIn(exchange);
    if (job !== null) variants.add(job.variant);
    for (const file of job?.files ?? []) {
      const before = filesTried.find(({ url }) => url === file.url) ?? null;
      const mayBeOld = fileUrls.length === 0 || fileUrls.includes(file.url);
      files.push({ job: id, file, exchange, before, mayBeOld });
    }
    if (files.length >= FILES_MAX) break;
  }
  const isOfA = variants.size === 1 && variants.has("A");
  return { files: files.slice(0, FILES_MAX), isOfA };
}

/** No request has a key, wherever a redirect leads. */
async function followed(url: string, fetchFile: Scene["download"]): Promise<Download> {
  let at = url;
  for (let redirects = 0; ; redirects += 1) {
    const got = await fetchFile(at);
    const isRedirect = got.status >= 300 && got.status < 400 && got.location !== null;
    const next = isRedirect ? URL.parse(got.location ?? "", at) : null;
    if (next === null || redirects === REDIRECTS_MAX) return got;
    at = next.href;
  }
}

function conclude(tried: readonly Tried[], baseUrl: string): Finding {
  const readings = tried.map((each) => ({
    each,
    ...(unreachable(each, baseUrl) ?? readingOf(each)),
  }));
  const wrong = readings.find(({ says }) => says === "fault");
  if (wrong !== undefined) {
    const { job, file, exchange, download, before } = wrong.each;
    const atItsEnd = before === null ? {} : { statusAtItsEnd: before.status };
    const answered = Object.entries(download).filter(([, value]) => value !== null);
    const evidence = { job, file: file.name, ...Object.fromEntries(answered), ...atItsEnd };
    const grounds = { evidence, exchanges: [exchange] };
    return broken(PROMISE, `a file of job ${job} ${wrong.what}`, grounds);
  }
  const read = readings.filter(({ says }) => says === "good");
  const [first] = readings;
  if (first === undefined) return unobserved(PROMISE, "no job that the run submitted has a file");
  if (read.length === 0) return inconclusive(PROMISE, `no file was read: ${first.what}`);
  const strength = looksAt(read.length, "files");
  return kept(PROMISE, `${countText(read.length, "file")} read in the stated size`, {
    evidence: { samples: read.length },
    strength,
  });
}

/** `what`: a clause that follows "a file" where it is a fault, and stands alone where open. */
interface Reading {
  says: "good" | "fault" | "open";
  what: string;
}

/**
 * An address on the service's own network, as of a storage behind a proxy that signs what it hears:
 * it does not answer, though the service does, at an address that is none of such a network.
 */
function unreachable({ file, download }: Tried, baseUrl: string): Reading | null {
  const isAway = download.status === 0 && isInternal(file.url) && !isInternal(baseUrl);
  if (!isAway) return null;
  const host = quoted(URL.parse(file.url)?.host ?? file.url);
  const what = `is at ${host}, which only the service's own network finds (${toldOf(download)})`;
  return { says: "fault", what };
}

/**
 * An unanswered or disturbed request says nothing. Who asks as soon as the end is shown needs the
 * file then: one that was refused for longer than views may lag came too late. How long an address
 * lives is open: one that is refused now was of use if it was answered at the job's end, and may
 * have been if it is as old.
 */
function readingOf({ file, download, before, mayBeOld }: Tried): Reading {
  const { status, bytes } = download;
  if (isRead(download)) {
    const size = sizeReading(bytes, file);
    const isLate = size.says === "good" && before !== null && isRefusedFile(before);
    return isLate ? { says: "fault", what: lateText(before) } : size;
  }
  if (!isRefusedFile(download)) return { says: "open", what: toldOf(download) };
  if (before !== null && isRefusedFile(before)) return refused(status);
  const wasAnswered = before !== null && isSuccess(before);
  if (!wasAnswered && !mayBeOld) return refused(status);
  if (wasAnswered && before.bytes !== null) return sizeReading(before.bytes, file);
  const then = wasAnswered ? `answered ${before.status} at its job's end, and ` : "";
  return { says: "open", what: `${then}answered ${status} when its address may have expired` };
}

function refused(status: number): Reading {
  return { says: "fault", what: `is answered ${status}` };
}

function sizeReading(bytes: number | null, { sizeBytes }: FileEntry): Reading {
  const what = `has ${bytes} bytes; \`size_bytes\` is ${sizeBytes}`;
  return { says: bytes === sizeBytes ? "good" : "fault", what };
}

function isRead(download: Download): boolean {
  return isSuccess(download) && download.bytes !== null;
}

function toldOf({ status, error }: Download): string {
  return error === null ? `answered ${status}` : `no response (${error})`;
}

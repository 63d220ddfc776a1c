/**
 * Witness of job.files-readable: k6 reads answers as text, Node counts their bytes. It looks at
 * jobs that the run has left; each file is asked for once, without a key. Spec §2.7.
 */

import { decodeJob } from "../../contract/decode/job.ts";
import type { FileEntry } from "../../contract/decode/job-types.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import type { Variant } from "../../contract/states.ts";
import { looksAt } from "../../contract/strength.ts";
import type { Finding } from "../../contract/verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../contract/verdict.ts";
import type { Download } from "../../http/download.ts";
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
}

interface Found {
  files: readonly Omit<Tried, "download">[];
  /** All jobs that were read are of variant A, which has no files. */
  isOfA: boolean;
}

async function look(ask: Ask, { jobIds, download }: Scene): Promise<Testimony> {
  const tried: Tried[] = [];
  const { files, isOfA } = await filesOfJobs(ask, jobIds);
  if (isOfA) return { finding: unobserved(PROMISE, "variant A has no files"), notes: [] };
  for (const { job, file, exchange } of files) {
    tried.push({ job, file, exchange, download: await followed(file.url, download) });
  }
  return { finding: conclude(tried), notes: [] };
}

async function filesOfJobs(ask: Ask, jobIds: readonly string[]): Promise<Found> {
  const files: Omit<Tried, "download">[] = [];
  const variants = new Set<Variant>();
  for (const id of jobIds.slice(0, JOBS_MAX)) {
    const exchange = await ask({ route: "job", parameter: id });
    const job = isSuccess(exchange) ? decodeJob(jsonBody(exchange)).value : null;
    if (job !== null) variants.add(job.variant);
    files.push(...(job?.files ?? []).map((file) => ({ job: id, file, exchange })));
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

function conclude(tried: readonly Tried[]): Finding {
  const [wrong] = tried.flatMap((each) => {
    const what = problemOf(each);
    return what === null ? [] : [{ ...each, what }];
  });
  if (wrong !== undefined) {
    const { job, file, what, exchange, download } = wrong;
    const evidence = { job, file: file.name, ...download };
    return broken(PROMISE, `a file of job ${job} ${what}`, { evidence, exchanges: [exchange] });
  }
  const read = tried.filter(({ download }) => isRead(download));
  if (tried.length === 0) return unobserved(PROMISE, "no job that the run submitted has a file");
  if (read.length === 0) {
    const [first] = tried;
    return inconclusive(PROMISE, `no file was read: ${first && toldOf(first.download)}`);
  }
  const strength = looksAt(read.length, "files");
  return kept(PROMISE, `${read.length} files read in their stated size`, {
    evidence: { samples: read.length },
    strength,
  });
}

function isRead({ status, bytes }: Download): boolean {
  return status >= 200 && status < 300 && bytes !== null;
}

/** null where nothing contradicts: an unanswered or disturbed request says nothing. */
function problemOf({ file, download }: Tried): string | null {
  const { status, bytes } = download;
  if (status >= 400 && status < 500 && status !== 429) return `is answered ${status}`;
  if (!isRead(download) || bytes === file.sizeBytes) return null;
  return `has ${bytes} bytes; \`size_bytes\` is ${file.sizeBytes}`;
}

function toldOf({ status, error }: Download): string {
  return error === null ? `answered ${status}` : `no response (${error})`;
}

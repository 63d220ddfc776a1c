/** What a load remembers of jobs that it judges in passing. */

import type { FileTried } from "../../contract/jobs/job-history.ts";
import type { JobReading } from "../../contract/judges/job/reading.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Entry } from "./followed/ledger.ts";
import type { LoadedKey } from "./offered/rates.ts";

export interface Bystander {
  /** Jobs of which nothing more is to be seen, and that are not judged yet. */
  pending: JobReading[];
  /** Jobs that were taken in, judged or not. */
  seen: number;
  /** Accepted so far, and which of them in each group is the next of the sample. */
  accepted: number;
  nextSampled: number;
  /** Ended jobs of the sample that are polled again. */
  sample: Entry[];
  /** Others that were cancelled, and are polled again after the load. */
  cancelled: Entry[];
  /** Jobs whose end a webhook has told and several polls have not shown. */
  unshown: Entry[];
  /** The latest ended jobs that have files, the oldest first. */
  filed: Entry[];
  /** Others whose first file was asked for at their end, and what it answered. */
  filedAtEnd: { entry: Entry; atEnd: Promise<FileTried> }[];
  /** The latest whose end shows no files, of a part that has them; stored late they may come. */
  unfiled: Entry[];
  /** Completed jobs of that part, and those of them whose end shows files. */
  ofFiles: { completed: number; filed: number };
  /** The address of the last of those files that was there. */
  fileThere: string | undefined;
  /** The latest accepted jobs, the oldest first. */
  latest: Entry[];
  /** The first accepted job of each key: what a list that only lags behind would have shown. */
  first: Map<LoadedKey, Entry>;
  /** On jobs of which kind, third and key a cancel was tried. */
  cancels: Set<string>;
  /** The latest jobs that were to be cancelled and have not been, the oldest first. */
  uncancelled: Entry[];
  /** Workers that accepted a job. */
  taking: Set<string>;
  /** Submissions answered 4xx, by the tokens of the webhooks that they asked for. */
  refused: Map<string, Exchange>;
  /** By key and worker that accepted a job: what was refused since. */
  refusedSince: Map<string, Exchange[]>;
}

export function newBystander(): Bystander {
  return {
    pending: [],
    seen: 0,
    accepted: 0,
    nextSampled: 0,
    sample: [],
    cancelled: [],
    unshown: [],
    filed: [],
    filedAtEnd: [],
    unfiled: [],
    ofFiles: { completed: 0, filed: 0 },
    fileThere: undefined,
    latest: [],
    first: new Map(),
    cancels: new Set(),
    uncancelled: [],
    taking: new Set(),
    refused: new Map(),
    refusedSince: new Map(),
  };
}

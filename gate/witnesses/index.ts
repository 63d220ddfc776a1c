/** The witnesses in Node, written out. */

import { detailSchemaWitness } from "./detail-schema.ts";
import { endedJobsWitness } from "./ended-jobs.ts";
import { filesReadableWitness } from "./files-readable.ts";
import { headerCaseWitness } from "./header-case.ts";
import type { NodeWitness } from "./witness.ts";

export const NODE_WITNESSES: readonly NodeWitness[] = [
  headerCaseWitness,
  detailSchemaWitness,
  filesReadableWitness,
  endedJobsWitness,
];

/** One thing wrong with a target file, and where; `unknownName` points at a name, not a value. */

import type { Path } from "./location.ts";

export interface FileProblem {
  path: Path;
  message: string;
  unknownName?: string;
}

/** Judges what an earlier run has left: what can't be judged is told as a file that is wrong. */

import { messageOf } from "../../contract/text/thrown.ts";
import { UnreadableEvidenceError } from "../../gate/recording.ts";
import type { Report } from "../../report/model.ts";
import { reportSchema } from "../../report/model.ts";
import { fitting } from "../files/json-file.ts";
import { UsageError } from "../usage-error.ts";

const EXPECTED = "a file that a gate of this version wrote";

/**
 * What is made of the file. Records have no schema of their own, so that a judge may find a member
 * of another kind than it expects. Throws UsageError.
 */
export function judgedFrom<Value>(file: string, judge: () => Value): Value {
  try {
    return judge();
  } catch (error) {
    const why =
      error instanceof UnreadableEvidenceError
        ? error.message
        : `its records can't be judged (${messageOf(error)}); expected ${EXPECTED}`;
    throw new UsageError("invalid-file", [`"${file}": ${why}`]);
  }
}

/** The report that is built of the file, if it is one. Throws UsageError. */
export function reportFrom(file: string, build: () => Report): Report {
  return fitting(file, judgedFrom(file, build), reportSchema, EXPECTED);
}

/** Faults of validators that know no more than the common keywords, or the first level alone. */

import { isObject } from "../../contract/decode/decoded.ts";
import { type Fault, faultsOf } from "./fault.ts";
import { lettingField } from "./submissions.ts";

/** What the embedded service's worker of labels asks of each. */
const LABEL = /^[a-z]+$/;

const isStranger = (name: string) => name.startsWith("plumbline_");

export const INPUT_BOUND_FAULTS: readonly Fault[] = faultsOf("submit.schema-violation", {
  "null-accepted": ["Null counts as a value of any type", lettingField((value) => value === null)],
  "digits-suffice": [
    "A text counts as a number if it begins with one",
    lettingField((value) => typeof value === "string" && /^-?\d/.test(value)),
  ],
  "near-numbers-in-quotes": [
    "A text counts as a number if it is one",
    lettingField((value) => typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)),
  ],
  "missing-members-accepted": [
    "A nested object may lack required fields",
    lettingField(
      (value, name) => name === "margins" && isObject(value) && !("top" in value),
      "missing-field",
    ),
  ],
  "other-members-accepted": [
    "A nested object may have fields that its schema does not allow",
    lettingField((value) => isObject(value) && Object.keys(value).some(isStranger)),
  ],
  "first-elements-checked": [
    "Only the first element of a list is validated",
    lettingField(
      (value) =>
        Array.isArray(value) &&
        value.length === 2 &&
        LABEL.test(String(value[0])) &&
        !LABEL.test(String(value[1])),
    ),
  ],
  "equal-elements-accepted": [
    "A list may hold an element twice",
    lettingField((value) => Array.isArray(value) && new Set(value).size < value.length),
  ],
  "choices-in-any-case": [
    "A choice may be written in capitals",
    lettingField((value) => value === "PLAIN"),
  ],
  "any-step-accepted": [
    "A number need not be a multiple of its step",
    lettingField(
      (value, name) => name === "zoom" && typeof value === "number" && value % 0.5 !== 0,
    ),
  ],
  "patterns-match-in-part": [
    "A text may have more before or after what its pattern requires",
    lettingField(
      (value) =>
        Array.isArray(value) &&
        value.every((each) => /[a-z]/.test(String(each))) &&
        value.some((each) => typeof each === "string" && !LABEL.test(each)),
    ),
  ],
});

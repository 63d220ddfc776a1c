/** What the path of an amount says of its unit. Spec §2.10 */

/** Whether the path of an amount says that it is in US dollars. */
export function namesDollars(path: string): boolean {
  return /usd|dollar/i.test(path);
}

/** Of "me.availableCredits": me, available, credits. */
export function wordsOf(path: string): readonly string[] {
  const apart = path.replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2").toLowerCase();
  return apart.split(/[^a-z]+/).filter((word) => word !== "");
}

/** Whether a word of the path is one of those; the first is the endpoint's. */
export function names(path: string, words: RegExp): boolean {
  return wordsOf(path)
    .slice(1)
    .some((word) => words.test(word));
}

/** Ours: words of units in which neither credits nor dollars are counted, and of parts of those. */
const OTHER_UNIT = /^(percent|pct|cent|euro?|gbp|token|point)s?$|cents$/;
const PART_OF_UNIT = /^(micro|milli|nano)/;
const CREDITS = /^credits?$/;

/** Whether the path of an amount says that it is in neither: token credits are credits. */
export function namesOtherUnit(path: string): boolean {
  const words = wordsOf(path);
  const unit = words.findLast((word) => OTHER_UNIT.test(word) || CREDITS.test(word)) ?? "";
  return OTHER_UNIT.test(unit) || words.some((word) => PART_OF_UNIT.test(word));
}

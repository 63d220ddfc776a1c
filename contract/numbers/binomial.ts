/** What chance alone makes likely. Exact tails of distributions, without tables. */

/** The logarithm of the number of ways to choose so many of those. */
export function waysLog(of: number, chosen: number): number {
  let log = 0;
  for (let at = 0; at < chosen; at += 1) log += Math.log((of - at) / (at + 1));
  return log;
}

/** Terms below this part of their sum change none of its digits. */
const NEGLIGIBLE = 1e-12;

/** The chance that exactly so many of those meet what each meets with a chance of `share`. */
function chanceOf(count: number, of: number, share: number): number {
  return Math.exp(waysLog(of, count) + count * Math.log(share) + (of - count) * Math.log1p(-share));
}

/** The chance that so many of those, or more, meet it. */
export function chanceOfAtLeast(count: number, of: number, share: number): number {
  const odds = share / (1 - share);
  let term = chanceOf(count, of, share);
  let sum = 0;
  for (let at = count; at <= of && term > sum * NEGLIGIBLE; at += 1) {
    sum += term;
    term *= ((of - at) / (at + 1)) * odds;
  }
  return sum;
}

/** The most of so many that still come about with at least that chance. */
export function mostByChance(of: number, share: number, chance: number): number {
  const odds = share / (1 - share);
  let most = Math.ceil(of * share);
  let exactly = chanceOf(most, of, share);
  let orMore = chanceOfAtLeast(most, of, share);
  while (most < of && orMore - exactly >= chance) {
    orMore -= exactly;
    exactly *= ((of - most) / (most + 1)) * odds;
    most += 1;
  }
  return most;
}

/**
 * The chance that of all who meet something at least `count` are among the `of` of one group, where
 * `others` of the `ofOthers` of another group meet it, and each member of both is as likely to.
 * Fisher's exact test, of one side.
 */
export function chanceOfShare(count: number, of: number, others: number, ofOthers: number): number {
  const all = count + others;
  const allLog = waysLog(of + ofOthers, all);
  let sum = 0;
  for (let at = count; at <= Math.min(all, of); at += 1) {
    sum += Math.exp(waysLog(of, at) + waysLog(ofOthers, all - at) - allLog);
  }
  return sum;
}

/** Jobs of scenarios that ran before another one on its account, whose charges may come late. */

import type { Amounts } from "../balance/read.ts";

/** What a scenario's jobs said that they cost, in the unit of either variant. */
export interface JobCharges {
  /** Those that said it. A timeout and a cancelled job are free. */
  jobs: number;
  credits: number;
  usd: number;
  /** Those that have not, as they were not seen to end. */
  unknown: number;
}

/** Of one run of a scenario. */
export interface EarlierJobs {
  /** null: nobody declared whose the key is. */
  account: string | null;
  key: string;
  /** What the account showed before the first of them; none where nobody read it. */
  opened: Amounts;
  /** null where the run did not live to tell. */
  charges: JobCharges | null;
}

/** Of several shards, or runs. */
export function sumOfCharges(all: readonly JobCharges[]): JobCharges {
  const sum = (name: keyof JobCharges) => all.reduce((total, each) => total + each[name], 0);
  return { jobs: sum("jobs"), credits: sum("credits"), usd: sum("usd"), unknown: sum("unknown") };
}

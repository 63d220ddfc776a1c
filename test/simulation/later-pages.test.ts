/** A ceiling in USD holds nothing up where the prices stand on later pages of the worker list. */

import { expect, it } from "vitest";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import type { Target } from "../../contract/target.ts";
import { CHOICES } from "../../reference/choices.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

/** What needs jobs, and takes no long waits for it. */
const GROUPS = ["submit", "job", "cancel", "timeout"];
const JUDGED = PROMISE_IDS.filter(
  (id) => GROUPS.includes(groupOf(id)) && id !== "timeout.under-load",
);

it.each(CHOICES.workersPagination.values)(
  "judges all with pages by %s",
  async (workersPagination) => {
    const result = await simulateGate({
      seed: 1,
      profile: "quick",
      only: JUDGED,
      service: { variant: "B", choices: { workersPagination } },
      target: (target): Target => ({
        ...target,
        budget: { jobs: null, credits: null, usd: 5 },
      }),
    });
    const judged = result.findings.filter(({ promise }) => JUDGED.includes(promise));
    expect(judged).toHaveLength(JUDGED.length);
    const doubts = judged.filter(({ verdict }) => verdict !== "kept");
    expect(
      doubts.map(({ promise, verdict, summary }) => `${promise} ${verdict}: ${summary}`),
    ).toEqual([]);
  },
);

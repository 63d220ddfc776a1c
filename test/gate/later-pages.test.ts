/** A ceiling in USD holds nothing up where the prices stand on later pages of the worker list. */

import { expect, it, onTestFinished } from "vitest";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { startReference } from "../../reference/service.ts";
import { quickRun } from "./quick-run.ts";

/** What needs jobs, and takes no long waits for it. */
const GROUPS = ["submit", "job", "cancel", "timeout"];
const JUDGED = PROMISE_IDS.filter(
  (id) => GROUPS.includes(groupOf(id)) && id !== "timeout.under-load",
);

it.each(["page", "link-header"] as const)(
  "judges all with pages by %s",
  {
    timeout: 300_000,
  },
  async (workersPagination) => {
    const choices = { workersPagination };
    const service = await startReference({ timeScale: 0.02, variant: "B", choices });
    onTestFinished(() => service.close());
    const { target, secrets } = embeddedTarget(service);
    const result = await quickRun({
      target: { ...target, budget: { jobs: null, credits: null, usd: 5 } },
      secrets,
      only: JUDGED,
    });
    const judged = result.findings.filter(({ promise }) => JUDGED.includes(promise));
    const doubts = judged.filter(({ verdict }) => verdict !== "kept");
    expect(
      doubts.map(({ promise, verdict, summary }) => `${promise} ${verdict}: ${summary}`),
    ).toEqual([]);
  },
);

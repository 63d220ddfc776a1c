/**
 * Are ends of jobs delivered as promised? Submits jobs whose webhooks go to the suite's own
 * receiver, which answers each by a script in its URL, and judges the group `webhook`: content,
 * signature, retries on schedule, and silence where nothing should come. All series run side by
 * side, so the whole takes little more than the longest: the waits, and the silence after them.
 *
 * Runs alone under stock k6 2.x, beside a receiver that the plan names:
 *   plumbline sink                        # prints its addresses and PLUMBLINE_SINK_SECRET
 *   plumbline plan --target plumbline.yaml --receiver QUERY_URL --out plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/webhook.ts
 * Keys and the receiver's secret are read from the environment variables that the plan names.
 */

import { webhookScenario } from "./webhook/scenario.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const scenario = k6Scenario(webhookScenario);

export const { options, handleSummary } = scenario;
export default scenario.run;

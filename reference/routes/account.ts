/** Endpoints of the account: who am I, what is left, what did I deploy. Spec §4.8. */

import { FREE_CREDITS_PER_MONTH } from "../../contract/plans.ts";
import { toCredits, toUsd, type UsageEntry } from "../accounts/account.ts";
import { type Api, type Endpoint, serve } from "./api.ts";

export const getAccount: Endpoint = (api, { key, account }) =>
  serve({
    account_id: `acct_${account.id}`,
    plan: key.plan,
    key: { name: key.name, status: "active" },
    rate_limit: { requests_per_second: key.sustained, burst: key.burst },
    created_at: api.renderer.time(account.createdAtMs),
  });

export const getCredits: Endpoint = (api, { key, account }) => {
  const included = key.plan === "free" ? { included_per_month: FREE_CREDITS_PER_MONTH } : {};
  return serve({
    plan: key.plan,
    ...balance(api, account.availableCredits),
    held: account.heldCredits,
    ...included,
    balance_usd: toUsd(account.availableMicroUsd),
    usage: account.usage.map((entry) => usageEntry(api, entry)),
  });
};

function balance(api: Api, credits: number): object {
  const name = api.options.choices.balanceField;
  return name === "nested" ? { credits: { balance: credits } } : { [name]: credits };
}

function usageEntry(api: Api, { job, worker, microUsd, atMs }: UsageEntry): object {
  const credits = toCredits(microUsd);
  return { job_uuid: job, worker_id: worker, credits, at: api.renderer.time(atMs) };
}

export const getDeployments: Endpoint = (api, { account }) => {
  const own = api.workers.filter((worker) => worker.owners?.includes(account.id) ?? false);
  const deployments = own.map(({ id, name }) => {
    const status = api.published.has(id) ? "PUBLISHED" : "DRAFT";
    return { worker_id: id, name, status };
  });
  return serve({ deployments });
};

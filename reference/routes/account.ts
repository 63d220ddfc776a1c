/** Endpoints of the account: who am I, what is left, what did I deploy. Spec §4.8. */

import { FREE_CREDITS_PER_MONTH } from "../../contract/plans.ts";
import { type Account, toCredits, toUsd, type UsageEntry } from "../accounts/account.ts";
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
    ...balance(api, account),
    ...included,
    ...(api.options.choices.usageTotals === "yes" ? totals(account) : {}),
    usage: account.usage.map((entry) => usageEntry(api, entry)),
  });
};

/** Numbers that rise with each job, beside the balance that falls. */
function totals({ usedMicroUsd, chargedJobs }: Account): object {
  const credits = toCredits(usedMicroUsd);
  return {
    usage_totals: { credits_used: credits, credits_used_today: credits, jobs: chargedJobs },
  };
}

/** Ours: a unit that is neither a round share of a credit nor of a dollar. */
const TOKENS_PER_CREDIT = 3.7;

function balance({ options: { choices } }: Api, account: Account): object {
  const { balanceField: name, balanceUnit: unit } = choices;
  const shownTo = (amount: number, digits: number) =>
    choices.balanceDigits === "all" ? amount : Number(amount.toFixed(digits));
  const credits = account.availableCredits;
  const usd = { balance_usd: shownTo(toUsd(account.availableMicroUsd), 2) };
  if (unit === "usd") return usd;
  const shown = shownTo(unit === "tokens" ? credits * TOKENS_PER_CREDIT : credits, 0);
  const field = name === "nested" ? { credits: { balance: shown } } : { [name]: shown };
  if (unit !== "credits-and-usd") return field;
  return { ...field, held: account.heldCredits, ...usd };
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

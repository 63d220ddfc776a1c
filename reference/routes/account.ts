/** Endpoints of the account: who am I, what is left, what did I deploy. Spec §4.8. */

import { FREE_CREDITS_PER_MONTH } from "../../contract/plans.ts";
import {
  type Account,
  TOKEN_DIGITS,
  toCredits,
  toUsd,
  type UsageEntry,
} from "../accounts/account.ts";
import type { Choices } from "../choices.ts";
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

/** Ours: so much that they run out amid a load of some minutes. */
const INCLUDED_MICRO_USD = 4_000_000;

function balance({ options: { choices } }: Api, account: Account): object {
  const isOwed = choices.balanceOf === "owed";
  const isSplit = choices.included === "first" && choices.balanceUnit !== "tokens";
  const included = isSplit ? account.leftOfMicroUsd(INCLUDED_MICRO_USD) : 0;
  const left = account.availableMicroUsd - included;
  const whole = amounts(isOwed ? account.goneMicroUsd : left, account, choices);
  if (isOwed || !isSplit) return whole;
  return { ...whole, included: amounts(included, account, choices) };
}

function amounts(microUsd: number, account: Account, choices: Choices): object {
  const { balanceUnit: unit } = choices;
  const shown = (amount: number, digits: number) => {
    const isAll = choices.balanceDigits === "all";
    const rounded = isAll ? amount : Number(amount.toFixed(digits));
    return choices.balanceText === "text" ? decimal(rounded) : rounded;
  };
  const usd = { balance_usd: shown(toUsd(microUsd), 2) };
  if (unit === "usd") return usd;
  const credits = toCredits(microUsd);
  if (unit === "cents") return { balance_cents: Math.round(100 * toUsd(microUsd)) };
  const isInTokens = unit === "tokens";
  const field = isInTokens
    ? named(shown(inTokens(credits, choices), TOKEN_DIGITS[choices.tokenWorth]), choices)
    : named(shown(credits, 0), choices);
  if (unit !== "credits-and-usd") return field;
  return { ...field, held: account.heldCredits, ...usd };
}

/** Ours: beyond these is what sums of binary fractions leave: whole tokens are whole. */
const TOKEN_DIGITS_MAX = 6;

function inTokens(credits: number, { tokenWorth }: Choices): number {
  return Number((credits * Number(tokenWorth)).toFixed(TOKEN_DIGITS_MAX));
}

/** Tokens that are worth about a credit are called what they are. */
function named(amount: number | string, choices: Choices): object {
  const { balanceUnit, balanceField: name, tokenWorth } = choices;
  const currency = balanceUnit === "tokens" ? "tokens" : "credits";
  if (name === "by-currency") return { balance: [{ amount, currency }] };
  if (name === "units-and-nanos") {
    return { balance: { currencyCode: currency, ...inParts(Number(amount)) } };
  }
  if (balanceUnit === "tokens" && tokenWorth === "1.33") return { token_balance: amount };
  return name === "nested" ? { credits: { balance: amount } } : { [name]: amount };
}

/** In whole units and billionths, neither where it is zero. google.type.Money */
function inParts(amount: number): object {
  const units = Math.trunc(amount);
  const nanos = Math.round((amount - units) * 1e6) * 1e3;
  return { ...(units === 0 ? {} : { units: `${units}` }), ...(nanos === 0 ? {} : { nanos }) };
}

/** With six digits behind the point, and no exponent. */
function decimal(amount: number): string {
  return amount.toFixed(6).replace(/\.?0+$/, "");
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

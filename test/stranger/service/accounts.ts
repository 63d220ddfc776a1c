/** Accounts and their keys. Spec §2.1, §8. */

import { createHash } from "node:crypto";

/** Plans and what they allow: requests a second, and how many at once. Spec §8. */
const PLANS = {
  free: { sustained: 10, burst: 20 },
  pro: { sustained: 50, burst: 100 },
  enterprise: { sustained: 200, burst: 400 },
} as const;

export interface StrangerKey {
  name: string;
  value: string;
  account: string;
  plan: keyof typeof PLANS;
  sustained: number;
  burst: number;
  state: "active" | "revoked" | "exhausted";
}

/** Of who is let in without a look at whom that is. */
export const ANY_ACCOUNT = "*";

function key(
  name: string,
  account: string,
  plan: keyof typeof PLANS,
  state: StrangerKey["state"] = "active",
): StrangerKey {
  const secret = createHash("sha256").update(`stranger ${name}`).digest("base64");
  const value = `sk_${secret.replace(/[+/=]/g, "").slice(0, 32)}`;
  return { name, value, account, plan, ...PLANS[plan], state };
}

export const STRANGER_KEYS: readonly StrangerKey[] = [
  key("free-left", "acc-1", "free"),
  key("free-right", "acc-11", "free"),
  key("pro-left", "acc-1", "pro"),
  key("pro-right", "acc-11", "pro"),
  key("wide-care", "acc-2", "enterprise"),
  key("wide-load", "acc-3", "enterprise"),
  key("wide-hooks", "acc-4", "enterprise"),
  key("wide-clock", "acc-5", "enterprise"),
  key("long-gone", "acc-1", "pro", "revoked"),
  key("penniless", "acc-6", "free", "exhausted"),
];

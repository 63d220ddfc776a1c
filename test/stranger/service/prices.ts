/** What runs cost, in millionths of a credit, and as the variants tell it. Spec §2.5, §2.8. */

import type { Worker } from "./catalogue.ts";
import type { Phase } from "./journal.ts";
import type { House } from "./ports.ts";

const MICROS = 1e6;
/** What the machine of a run costs, where that is told. */
const INFRA_MICROS = 210;
/** The worker that is free of charge, where one is. */
const FREE = "text-mirror";
/** To what a service rounds that does. */
const ROUNDED_USD = 1e-4;

export function inCredits(micros: number): number {
  return micros / MICROS;
}

/** What a sum of doubles may be off by, where a view adds up what another has stored. */
const SUM_ERROR_SHARE = 2 ** -51;

/** An amount as a view shows it. */
function shown(amount: number, { picks, ports }: House): number {
  const isSummed = picks.costText === "summed-at-times" && ports.random() < 0.5;
  return isSummed ? amount * (1 + SUM_ERROR_SHARE) : amount;
}

/** Of a run: its price, and what its machine costs. */
export function priceMicros({ id, credits }: Worker, house: House): number {
  const { picks } = house;
  if (picks.freeWorkers === "all" || (picks.freeWorkers === "one" && id === FREE)) return 0;
  const scale = picks.priceSize === "tiny" ? 0.001 : picks.priceSize === "odd-floats" ? 1 / 3 : 1;
  const micros = Math.round(credits * scale * MICROS);
  return roundedMicros(micros + (picks.infra === "some" ? INFRA_MICROS : 0), house);
}

/** An amount as it is billed and shown: of a bill each is rounded by itself. */
function roundedMicros(micros: number, { picks }: House): number {
  if (picks.money === "exact") return micros;
  const step = ROUNDED_USD * MICROS * (picks.creditWorth === "cent" ? 100 : 1);
  return Math.ceil(micros / step) * step;
}

/** What a run of it costs is known when it is over: it may begin without credits. */
export function isPaidByEvent({ id }: Worker, { picks }: House): boolean {
  return picks.pricing === "one-by-event" && id === "pdf-press";
}

export function usdOf(micros: number, { picks }: House): number {
  return inCredits(micros) / (picks.creditWorth === "cent" ? 100 : 1);
}

export function creditsOf(micros: number, phase: Phase, house: House): number {
  const sign = house.trouble.has("failed-cost-negative") && phase === "failed" ? -1 : 1;
  return shown(inCredits(micros), house) * sign;
}

export function moneyOf(micros: number, phase: Phase, house: House): Record<string, unknown> {
  const { picks, trouble } = house;
  const infra = picks.infra === "some" && micros > 0 ? INFRA_MICROS : 0;
  const total = usdOf(micros, house);
  const run = usdOf(roundedMicros(micros - infra, house), house);
  const sign = trouble.has("failed-cost-negative") && phase === "failed" ? -1 : 1;
  const isModeless = trouble.has("failed-billed-by-no-mode") && phase === "failed";
  const rounded = trouble.has("total-rounded-to-halves") ? Math.round(total * 2) / 2 : total;
  return {
    total_usd: shown(rounded, house) * sign,
    run_usd: run * sign,
    infra_usd: usdOf(roundedMicros(infra, house), house) * sign,
    billing_mode: isModeless ? null : "per_run",
  };
}

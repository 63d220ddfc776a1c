/** What of a run can be shown as pictures, in the order in which a reader asks for it. */

import type { Report } from "../model.ts";
import type { Section } from "./figure.ts";
import type { Layout } from "./plot.ts";
import { loadSection } from "./sections/load.ts";
import { rateSection } from "./sections/rate.ts";
import { timeoutSection } from "./sections/timeout.ts";
import { transitionSection } from "./sections/transitions.ts";
import { webhookSection } from "./sections/webhook.ts";

/** Sections without a figure are left out. */
export function runSections({ series }: Report, layout: Layout): Section[] {
  const sections = [
    rateSection(series.rate, layout),
    transitionSection(series.transitions, layout),
    timeoutSection(series.timeout, layout),
    webhookSection(series.webhook, layout),
    loadSection(series.load, layout),
  ];
  return sections.filter(({ figures }) => figures.length > 0);
}

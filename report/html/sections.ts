/** What of a run can be shown as pictures, in the order in which a reader asks for it. */

import type { Report } from "../model.ts";
import type { Section } from "./figure.ts";
import { loadSection } from "./sections/load.ts";
import { rateSection } from "./sections/rate.ts";
import { timeoutSection } from "./sections/timeout.ts";
import { transitionSection } from "./sections/transitions.ts";
import { webhookSection } from "./sections/webhook.ts";

/** Sections without a figure are left out. `idPrefix` tells the runs of one page apart. */
export function runSections({ series }: Report, idPrefix: string): Section[] {
  const sections = [
    rateSection(series.rate, idPrefix),
    transitionSection(series.transitions, idPrefix),
    timeoutSection(series.timeout, idPrefix),
    webhookSection(series.webhook, idPrefix),
    loadSection(series.load, idPrefix),
  ];
  return sections.filter(({ figures }) => figures.length > 0);
}

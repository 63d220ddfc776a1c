/** What the caller named a run by, in a line: "commit=4f1c, stage=canary"; empty without labels. */

import type { Report } from "./model.ts";

export function labelsText({ labels }: Report): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

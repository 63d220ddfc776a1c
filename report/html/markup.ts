/** HTML as tagged templates: what is put in is text, unless it is markup itself. */

import { escaped } from "../text.ts";

/** Text that is HTML already. Only `html`, plots and the interface's own text make it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Content = string | number | null | Markup | readonly Content[];

/** Answers of a service are quoted in the report: nothing of them may become an element. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const text = parts.map((part, at) => part + (at in values ? rendered(values[at]) : ""));
  return new Markup(text.join(""));
}

function rendered(value: Content | undefined): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(rendered).join("");
  return escaped(String(value));
}

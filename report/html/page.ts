/** The frame of a page: one file without scripts, fonts or pictures from elsewhere. */

import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { PAGE_STYLE } from "./style.ts";

export interface Part {
  id: string;
  title: string;
  count: number | null;
  body: Markup;
  /** Subjects within it that the contents lists. */
  links?: readonly { id: string; title: string }[];
}

export interface Page {
  title: string;
  overview: Markup;
  parts: readonly Part[];
}

/** The policy holds what the page promises: it asks for nothing, wherever it is opened. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export function renderPage({ title, overview, parts }: Page): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<link rel="icon" href="data:,">
<title>Plumbline: ${title}</title>
<style>`;
  const body = html`</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><h1>Plumbline</h1> <p>${title}</p></header>
<section aria-label="Overview">${overview}</section>
<div class="columns">
<nav aria-label="Contents"><ul>${parts.map(renderLink)}</ul></nav>
<main id="content">${parts.map(renderPart)}</main>
</div>
</body>
</html>
`;
  return `${page.text}${PAGE_STYLE}${body.text}`;
}

function renderLink({ id, title, count, links = [] }: Part): Markup {
  const inner = links.map((link) => html`<li><a href="#${link.id}">${link.title}</a></li>`);
  return html`<li><a href="#${id}">${title}${
    count === null ? null : html` <span class="soft">${count}</span>`
  }</a>${inner.length === 0 ? null : html`<ul>${inner}</ul>`}</li>`;
}

function renderPart({ id, title, count, body }: Part): Markup {
  return html`<section id="${id}" class="part"><h2>${title}${
    count === null ? null : html` <span class="soft">${count}</span>`
  }</h2>
${body}</section>
`;
}

/** What all pages of the probe have in common: nothing on them comes from elsewhere. */

import { PAGE_STYLE } from "./page-style.ts";

/** Texts are HTML. */
export interface PageParts {
  title: string;
  body: string;
  /** In the head, beside what each page has. */
  head?: string;
  script?: string;
}

/** `nonce` lets the page's own style and script through the content security policy. */
export function renderPage({ title, body, head, script }: PageParts, nonce: string): string {
  const scripted = script === undefined ? "" : `<script nonce="${nonce}">${script}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
${head ?? ""}<title>${title}</title>
<style nonce="${nonce}">${PAGE_STYLE}</style>
</head>
<body>
${body}
${scripted}</body>
</html>
`;
}

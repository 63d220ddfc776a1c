/** Documents of this package as HTML: their anchors stay, any other HTML in them becomes text. */

import { Marked } from "marked";
import { escaped } from "./text.ts";

/** How the documents mark a place that others link to; such a line may close it as well. */
const ANCHOR = /^(<a id="[\w.-]+">|<\/a>)+$/;

/** `linkTo`: where a link leads on the page in question; null where nothing is served for it. */
export function markdown(linkTo: (href: string) => string | null): Marked {
  return new Marked({
    renderer: {
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const to = linkTo(href);
        return to === null ? html : `<a href="${escaped(to)}">${html}</a>`;
      },
      html: ({ text }) => (ANCHOR.test(text.trim()) ? text : escaped(text)),
    },
  });
}

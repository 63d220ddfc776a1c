/** What is quoted stays text, and names of lines stay apart. */

import { describe, expect, it } from "vitest";
import { spread } from "../../../report/html/labels.ts";
import { html } from "../../../report/html/markup.ts";

describe("markup", () => {
  it("takes what it is given for text, in elements and in attributes", () => {
    const text = `<script>alert("1")</script>'&`;
    expect(html`<b title="${text}">${text}</b>`.text).toBe(
      `<b title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;">` +
        "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;</b>",
    );
  });

  it("takes markup for markup, lists one after the other, and null for nothing", () => {
    const items = [1, 2].map((each) => html`<li>${each}</li>`);
    expect(html`<ul>${items}${null}</ul>`.text).toBe("<ul><li>1</li><li>2</li></ul>");
  });

  it("leaves out characters that are none", () => {
    expect(html`<p>${"a\u0000\u001b[31mb"}</p>`.text).toBe("<p>a[31mb</p>");
  });
});

describe("labels", () => {
  const CASES: [string, readonly number[], number, readonly number[]][] = [
    ["far apart stay where they are", [0.1, 0.9, 0.5], 0.1, [0.1, 0.9, 0.5]],
    ["at one place move up, in their order", [0.5, 0.5], 0.1, [0.5, 0.6]],
    ["at the top move down", [1, 1], 0.25, [0.75, 1]],
  ];
  it.each(CASES)("%s", (_, values, gap, expected) => {
    expect(spread(values, gap)).toEqual(expected);
  });
});

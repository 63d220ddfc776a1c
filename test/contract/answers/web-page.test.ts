/** Answers that are web pages, told from what the service answers itself. */

import { expect, it } from "vitest";
import { webPageText } from "../../../contract/answers/web-page.ts";

const HTML = { "content-type": "text/html; charset=utf-8" };

it.each([
  ["by its type", HTML, "Sign in", "a web page"],
  ["by how it begins", {}, "\n<!DOCTYPE html><p>", "a web page"],
  [
    "by its title, in one line",
    HTML,
    "<title lang=en>\n Sign\u0007 in \n</title>",
    'a web page "Sign in"',
  ],
  [
    "with a title that ends nowhere",
    {},
    `<html><title>${"x".repeat(200)}`,
    /^a web page "x{80}…"$/,
  ],
])("a page is known %s", (_, headers, body, text) => {
  expect(webPageText({ headers, body })).toMatch(text);
});

it("JSON and plain text are no page", () => {
  const json = { "content-type": "application/json" };
  expect(webPageText({ headers: json, body: '{"text":"<html>"}' })).toBeNull();
  for (const headers of [{}, HTML]) expect(webPageText({ headers, body: "" })).toBeNull();
  expect(webPageText({ headers: HTML, body: '{"text":"<html>"}' })).toBeNull();
});

/** Which addresses are this machine's, as they are written in target files. */

import { expect, it } from "vitest";

import { isLoopback, isLoopbackHost } from "../../contract/loopback.ts";

it.each([
  "http://127.0.0.1:8080",
  "http://127.1/v1",
  "https://localhost",
  "HTTP://LOCALHOST:8080",
  "http://localhost.:8080/",
  "http://[::1]:8080",
  "http://[0:0:0:0:0:0:0:1]:8080",
])("%s is this machine's", (url) => {
  expect(isLoopback(url)).toBe(true);
});

it.each([
  "http://127.example.com",
  "http://127.0.0.1.example.com:8080",
  "http://127.0.0.1@example.com",
  "http://localhost:80@example.com",
  "http://localhost.example.com",
  "http://[::2]:8080",
  "http://[::1:1]",
  "nonsense",
  "",
])("%s is not", (url) => {
  expect(isLoopback(url)).toBe(false);
});

it("takes a host without its brackets, too", () => {
  expect(["::1", "[::1]", "127.0.0.53", "0.0.0.0", "::"].map(isLoopbackHost)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

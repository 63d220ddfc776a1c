/** Downloads are counted, told and never followed with a key; real HTTP on loopback. */

import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { download } from "../../http/download.ts";
import { listen } from "./listen.ts";

const BYTES = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]);
const asked: string[] = [];

const server = createServer((request, response) => {
  const { "x-api-key": key = "no key", "user-agent": agent = "nobody" } = request.headers;
  asked.push(`${request.url} ${key} ${agent}`);
  if (request.url === "/moved") response.writeHead(302, { location: "/file" }).end();
  else if (request.url === "/packed") {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(BYTES));
  } else if (request.url === "/cut") {
    response.writeHead(200, { "content-length": "9" });
    response.write(BYTES, () => response.destroy());
  } else response.writeHead(request.url === "/file" ? 200 : 404).end(BYTES);
});

let origin = "";
beforeAll(async () => {
  origin = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => server.close());

describe("a download", () => {
  const { signal } = new AbortController();
  it.each([
    ["/file", { status: 200, bytes: 5, location: null, error: null }],
    ["/moved", { status: 302, bytes: 0, location: "/file", error: null }],
    ["/packed", { status: 200, bytes: null, location: null, error: null }],
    ["/gone", { status: 404, bytes: 5, location: null, error: null }],
    ["/cut", { status: 0, bytes: null, location: null, error: "reset" }],
  ])("of %s is told as it is", async (path, expected) => {
    expect(await download(origin + path, signal)).toEqual(expected);
    expect(asked.at(-1)).toBe(`${path} no key plumbline`);
  });

  it("of an address that is none is no answer", async () => {
    expect(await download("not an address", signal)).toMatchObject({ status: 0, error: "other" });
  });
});

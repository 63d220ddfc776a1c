/**
 * A service whose names attack whoever turns them into labels, metrics or lines: identifiers with
 * quotes, braces and newlines, or of thousands of characters; states, workers and errors that are
 * others in each answer. Under these names its jobs live and end as they should.
 */

import { onTestFinished } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import type { GivenOptions } from "../../reference/options.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { openReference } from "../reference/open-reference.ts";
import { openRewritingFront } from "./rewriting-front.ts";

/** Stands in each hostile name; no name of the suite's own holds it. */
export const HOSTILE = "evil";

const OWN_ID = /job_[0-9a-f]{32}/g;
/** Ours: escaped thrice as long, and still within the 16 KB that Node takes of a head. */
const LONG_CHARS = 2_000;

export interface HostileService {
  service: ReferenceService;
  url: string;
  /** How many jobs were named, and how many other names were made up. */
  counts(): { jobs: number; names: number };
}

/** Ends with the test. */
export async function startHostileNames(given: GivenOptions): Promise<HostileService> {
  const service = await openReference({ ...given, faults: [WEBHOOKS.name] }, [WEBHOOKS]);
  const names = new HostileNames();
  const front = await openRewritingFront(service.baseUrl, {
    toService: withOwnId,
    toClient: ({ status, headers, text }, { method, url }) => ({
      status,
      headers: { ...headers, "x-request-id": names.another("request") },
      text: text === "" ? text : JSON.stringify(names.spoilt(JSON.parse(text), method, url)),
    }),
  });
  onTestFinished(() => front.close());
  return { service, url: front.baseUrl, counts: () => names.counts() };
}

/** Deliveries name the job as its answers do. */
const WEBHOOKS: Fault = faultOf("webhook.body", "hostile", "names jobs in a hostile way", () => ({
  webhook(message) {
    return message === null ? null : { ...message, body: withHostileIds(message.body) };
  },
}));

function withHostileIds(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === "string" ? value.replace(OWN_ID, hostileId) : value,
  );
  return JSON.parse(text) as Record<string, unknown>;
}

/** The same for each mention of a job. Every eighth is long. */
function hostileId(id: string): string {
  const odd = `${id}"} ${HOSTILE}{job="${id}",x='\\\n# TYPE ${HOSTILE}_total counter\n`;
  return /[01]$/.test(id) ? odd + "x".repeat(LONG_CHARS) : odd;
}

/** A path as the service knows it: without what is hostile in its job's name. */
function withOwnId(url: string): string {
  const [path = "", ...query] = url.split("?");
  const own = path.replace(/[^/]+$/, (last) => decodeURIComponent(last).match(OWN_ID)?.[0] ?? last);
  return [own, ...query].join("?");
}

/** Members whose text is another one each time. */
const TEXTS = ["name", "title", "description", "category", "message", "error", "code", "detail"];
/** Those of a job, which say what it is: others in some polls of it. */
const KINDS = ["status", "worker", "worker_id"];

class HostileNames {
  readonly #jobs = new Set<string>();
  #names = 0;
  #polls = 0;

  counts() {
    return { jobs: this.#jobs.size, names: this.#names };
  }

  another(what: string): string {
    this.#names += 1;
    return `${what}"} ${HOSTILE}{${what}="${this.#names}"`;
  }

  /** Every third poll shows a state and a worker that nobody knows, each time others. */
  spoilt(body: unknown, method: string, url: string): unknown {
    const isPoll = method === "GET" && url.startsWith("/v1/jobs/");
    if (isPoll) this.#polls += 1;
    const isUnknown = isPoll && this.#polls % 3 === 0;
    return this.#value(body, (name) => TEXTS.includes(name) || (isUnknown && KINDS.includes(name)));
  }

  #value(value: unknown, isReplaced: (name: string) => boolean): unknown {
    if (typeof value === "string") return value.replace(OWN_ID, (id) => this.#named(id));
    if (Array.isArray(value)) return value.map((each) => this.#value(each, isReplaced));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, each]) => {
      const isText = typeof each === "string" && isReplaced(name);
      return [name, isText ? this.another(name) : this.#value(each, isReplaced)] as const;
    });
    return Object.fromEntries(members);
  }

  #named(id: string): string {
    this.#jobs.add(id);
    return hostileId(id);
  }
}

/** Counts requests in a row that get no answer of the service, whoever sends them. */

import { templateOf } from "../../contract/requests/routes.ts";
import type { Silence, SilencesSeen, Stretch } from "../../contract/requests/silence.ts";
import type { BriefAnswer, World } from "./world.ts";

/** Ours: a shorter one may be chance, and disturbs little. */
const SILENCE_MS_MIN = 1_000;
/** Ours: a service that comes and goes each few seconds says no more with more of them. */
const SILENCES_MAX = 20;
/** Ours: whoever asked nothing for that long can't tell whether others were answered meanwhile. */
const IDLE_MS = 3_000;
/** Ours: of longer runs the last ones are one. */
const STRETCHES_MAX = 200;

interface OpenSilence extends Silence {
  statuses: Record<number, number>;
  path: string | null;
}

/** What came of each request to the service, and when it was sent and over; ms. */
type Heard = (answer: Came, sentAtMs: number, atMs: number) => void;
type Came = Pick<BriefAnswer, "status" | "error">;

/** The same world, in which answers to requests below the address are counted until told. */
export function listening(
  world: World,
  baseUrl: string,
  heard: Heard,
): [World, () => SilencesSeen] {
  const below = `${baseUrl}/`;
  const stretches = new Stretches();
  /** As it was last read, by whoever did: of thousands of answers none costs a look of its own. */
  let readMs = 0;
  const now = () => {
    readMs = world.now();
    return readMs;
  };
  const take = (url: string, answer: Came, sentAtMs: number, atMs: number) => {
    if (isLost(answer)) stretches.lost(pathOf(url, baseUrl), answer.status, sentAtMs, atMs);
    else stretches.good(sentAtMs, atMs);
    heard(answer, sentAtMs, atMs);
  };
  const listener: World = {
    ...world,
    now,
    async request(wire) {
      const sentAtMs = now();
      const answer = await world.request(wire);
      if (wire.url.startsWith(below)) take(wire.url, answer, sentAtMs, now());
      return answer;
    },
    prepare(wire, onAnswer) {
      let sentMs = 0;
      const send = world.prepare(wire, (answer) => {
        const sentAtMs = sentMs;
        // Who sends, and who is told, reads the clock; and may send the next one.
        onAnswer(answer);
        take(wire.url, answer, sentAtMs, readMs);
      });
      return () => {
        sentMs = readMs;
        send();
      };
    },
  };
  return [listener, () => stretches.told()];
}

/** When all was answered, and when nothing was. */
class Stretches {
  readonly #silences: Silence[] = [];
  readonly #answered: Stretch[] = [];
  #silence: OpenSilence | null = null;
  #goodFromMs: number | null = null;
  #goodToMs = 0;

  lost(path: string, status: number, sentAtMs: number, toMs: number): void {
    this.#silence ??= { fromMs: sentAtMs, toMs, requests: 0, statuses: {}, path };
    const silence = this.#silence;
    if (silence.path !== path) silence.path = null;
    silence.toMs = toMs;
    silence.requests += 1;
    silence.statuses[status] = (silence.statuses[status] ?? 0) + 1;
  }

  good(sentAtMs: number, atMs: number): void {
    const isIdle = sentAtMs - this.#goodToMs > IDLE_MS;
    if (isIdle && this.#answered.length < STRETCHES_MAX) this.#rest();
    if (this.#silence !== null) this.#close();
    this.#goodFromMs ??= atMs;
    this.#goodToMs = atMs;
  }

  told(): SilencesSeen {
    this.#close();
    this.#rest();
    return { silences: this.#silences, answered: this.#answered };
  }

  #rest(): void {
    if (this.#goodFromMs !== null) this.#answered.push([this.#goodFromMs, this.#goodToMs]);
    this.#goodFromMs = null;
  }

  #close(): void {
    const silence = this.#silence;
    this.#silence = null;
    if (silence === null || silence.toMs - silence.fromMs < SILENCE_MS_MIN) return;
    if (this.#silences.length >= SILENCES_MAX) return;
    this.#rest();
    this.#silences.push(silence);
  }
}

/** Without a query, which asks the same of it in another way; those of all jobs are one. */
function pathOf(url: string, baseUrl: string): string {
  return templateOf(url.slice(baseUrl.length).split("?", 1)[0] ?? "");
}

/** What this machine could not send, or would not read, tells nothing of the service. */
function isLost({ status, error }: Came): boolean {
  return status >= 500 || (error !== null && error !== "local" && error !== "unread");
}

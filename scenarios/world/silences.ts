/** Counts requests in a row that get no answer of the service, whoever sends them. */

import type { Silence, SilencesSeen, Stretch } from "../../contract/silence.ts";
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
}

/** The same world, in which answers to requests below the address are counted until told. */
export function listening(world: World, baseUrl: string): [World, () => SilencesSeen] {
  const below = `${baseUrl}/`;
  const silences: Silence[] = [];
  const answered: Stretch[] = [];
  let silence: OpenSilence | null = null;
  let goodFromMs: number | null = null;
  let goodToMs = 0;
  /** Of thousands of good answers one by one none costs a look at the clock. */
  let isGoodSince = false;

  const lost = (status: number, sentAtMs: number | null) => {
    const toMs = world.now();
    if (isGoodSince) goodToMs = toMs;
    isGoodSince = false;
    silence ??= { fromMs: sentAtMs ?? toMs, toMs, requests: 0, statuses: {} };
    silence.toMs = toMs;
    silence.requests += 1;
    silence.statuses[status] = (silence.statuses[status] ?? 0) + 1;
  };
  const rest = () => {
    if (goodFromMs !== null) answered.push([goodFromMs, goodToMs]);
    goodFromMs = null;
  };
  const close = () => {
    const isLong = silence !== null && silence.toMs - silence.fromMs >= SILENCE_MS_MIN;
    if (silence !== null && isLong && silences.length < SILENCES_MAX) {
      rest();
      silences.push(silence);
    }
    silence = null;
  };
  const good = () => {
    if (silence !== null) close();
    goodFromMs ??= world.now();
    isGoodSince = true;
  };
  const listener: World = {
    ...world,
    async request(wire) {
      const sentAtMs = world.now();
      const answer = await world.request(wire);
      if (!wire.url.startsWith(below)) return answer;
      if (isLost(answer)) lost(answer.status, sentAtMs);
      else {
        const isIdle = !isGoodSince && sentAtMs - goodToMs > IDLE_MS;
        if (isIdle && answered.length < STRETCHES_MAX) rest();
        good();
        goodToMs = world.now();
        isGoodSince = false;
      }
      return answer;
    },
    prepare: (wire, onAnswer) =>
      world.prepare(wire, (answer) => {
        if (isLost(answer)) lost(answer.status, null);
        else good();
        onAnswer(answer);
      }),
  };
  const told = () => {
    if (isGoodSince) goodToMs = world.now();
    close();
    rest();
    return { silences, answered };
  };
  return [listener, told];
}

/** What this machine could not send, or would not read, tells nothing of the service. */
function isLost({ status, error }: Pick<BriefAnswer, "status" | "error">): boolean {
  return status >= 500 || (error !== null && error !== "local" && error !== "unread");
}

/** Server-sent events for open status pages: a beat keeps them fresh, slow readers hold nothing. */

import type { ServerResponse } from "node:http";

export interface EventStreams {
  /** Takes a page's connection over; false when there are too many. */
  open(response: ServerResponse): boolean;
  /** Tells all pages soon that something changed. */
  changed(): void;
  close(): void;
}

/** Ours: pages that are open at once; each holds a connection. */
const STREAMS_MAX = 50;
/** Ours: a page that is told more often only flickers. */
const TELL_MS = 500;
/** Ours: ages on the page stay true, and proxies keep the connection, which some end after 30 s. */
const BEAT_MS = 10_000;
/** Ours: a reader that took nothing of so many beats is gone, or holds memory for nothing. */
const STALLED_BEATS_MAX = 3;

/** `state` is the data of one event; each holds all of it, so that any may be left out. */
export function openEventStreams(state: () => string, beatMs = BEAT_MS): EventStreams {
  const pages = new Map<ServerResponse, { stalledBeats: number }>();
  let telling: NodeJS.Timeout | null = null;
  const tell = () => {
    if (telling !== null) clearTimeout(telling);
    telling = null;
    if (pages.size === 0) return;
    const event = `data: ${state()}\n\n`;
    for (const page of pages.keys()) if (!page.writableNeedDrain) page.write(event);
  };
  const beat = setInterval(() => {
    for (const [page, health] of pages) {
      health.stalledBeats = page.writableNeedDrain ? health.stalledBeats + 1 : 0;
      if (health.stalledBeats >= STALLED_BEATS_MAX) page.destroy();
    }
    tell();
  }, beatMs).unref();
  return {
    open(response) {
      if (pages.size >= STREAMS_MAX) return false;
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        // A proxy that collects the events before it passes them on makes the page look dead.
        "x-accel-buffering": "no",
      });
      response.write(`retry: 2000\ndata: ${state()}\n\n`);
      pages.set(response, { stalledBeats: 0 });
      response.on("close", () => pages.delete(response));
      return true;
    },
    changed() {
      telling ??= setTimeout(tell, TELL_MS).unref();
    },
    close() {
      if (telling !== null) clearTimeout(telling);
      clearInterval(beat);
      for (const page of pages.keys()) page.end();
    },
  };
}

/**
 * A TCP proxy on loopback whose path loses packets. TCP hides a loss from programs: the segment is
 * sent again after the retransmission timeout, and what follows waits for it. So nothing is cut or
 * reset here, bytes only come later, in their order.
 */

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { seededUniform } from "../../contract/numbers/random.ts";

/** The least that Linux waits before it sends a segment again (TCP_RTO_MIN); doubled each time. */
const RETRANSMISSION_MS = 200;
/** Ours: of a segment; a chance of one would never end. */
const LOSSES_MAX = 6;
/** Ours: a burst of new connections waits its turn; nobody's is refused or sent a cookie. */
const BACKLOG = 4_096;

/** How long each chunk of one direction of a connection is held up, in milliseconds; mostly 0. */
export function lossDelays(uniform: () => number, loss: number): () => number {
  return () => {
    let delayMs = 0;
    for (let losses = 0; losses < LOSSES_MAX && uniform() < loss; losses += 1) {
      delayMs += RETRANSMISSION_MS * 2 ** losses;
    }
    return delayMs;
  };
}

export interface LossyPath {
  /** Where a connection is passed on to, on this machine. */
  port: number;
  /** Share of the chunks that are lost, each way. */
  loss: number;
  seed: number;
}

export interface LossyProxy {
  url: string;
  /** Chunks that came through, and how many of them late. */
  counts: Readonly<{ chunks: number; late: number }>;
  close(): Promise<void>;
}

export async function startLossyProxy({ port, loss, seed }: LossyPath): Promise<LossyProxy> {
  const uniform = seededUniform(seed);
  const counts = { chunks: 0, late: 0 };
  const open = new Set<Socket>();
  /** A direction has chance of its own, so that connections don't shift what others meet. */
  const direction = () => lossDelays(seededUniform(uniform() * 2 ** 32), loss);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    }
    carry(near, far, direction(), counts);
    carry(far, near, direction(), counts);
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG });
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Passes on what comes until its end; a side that breaks off takes the other with it. */
function carry(
  from: Socket,
  to: Socket,
  delays: () => number,
  counts: { chunks: number; late: number },
): void {
  const path = new Transform({
    transform(chunk, _, done) {
      const delayMs = delays();
      counts.chunks += 1;
      if (delayMs === 0) return done(null, chunk);
      counts.late += 1;
      setTimeout(() => done(null, chunk), delayMs);
    },
  });
  pipeline(from, path, to).catch(() => {
    from.destroy();
    to.destroy();
  });
}

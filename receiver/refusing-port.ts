/** A port that refuses connections until it is opened, and that nobody else can take meanwhile. */

import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { connect, createServer } from "node:net";

import { listen, reachableHost } from "./listen.ts";

/**
 * The port is held by an outgoing connection that is bound to it: a bound socket that does not
 * listen refuses, and the system gives its port to nobody who asks for a free one. A port that was
 * only found free and closed again could be another process's by the time it is posted to.
 */
export class RefusingPort {
  readonly host: string;
  readonly port: number;
  readonly #server: Server;
  readonly #anchor: Server;
  readonly #held: Socket;
  #opening: Promise<void> | null = null;

  private constructor(server: Server, host: string, anchor: Server, held: Socket) {
    this.#server = server;
    this.#anchor = anchor;
    this.#held = held;
    this.host = host;
    this.port = held.localPort ?? 0;
  }

  /** `server` will listen there once the port is opened. */
  static async reserve(server: Server, listenHost: string): Promise<RefusingPort> {
    const host = reachableHost(listenHost);
    const anchor = createServer();
    const accepted = once(anchor, "connection");
    const port = await listen(anchor, { host, port: 0 }, "holding a closed port");
    const held = connect({ host, port, localAddress: host });
    await Promise.all([once(held, "connect"), accepted]);
    // Whatever ends it, the worst is a port that is no longer held.
    held.on("error", () => {});
    return new RefusingPort(server, host, anchor, held);
  }

  /** From now on the port is listened on; further calls change nothing. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<void> {
    await listen(this.#server, { host: this.host, port: this.port }, "refused webhooks");
    this.release();
  }

  release(): void {
    this.#held.destroy();
    this.#anchor.close();
  }
}

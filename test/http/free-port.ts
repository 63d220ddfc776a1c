/** Ports for programs that have to be told one. */

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below those that the system hands out by itself, so that nobody is given one by chance between
 * this look and its use. Source: ip(7), `ip_local_port_range`: 32768 and more.
 */
const FIRST = 20_000;
const BEYOND = 32_000;
/** Ours: of 12,000 ports some are free. */
const TRIES = 100;

/** A port of this machine's loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, BEYOND);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found from ${FIRST} to ${BEYOND}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

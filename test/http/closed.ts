/** The end of a connection. */

import type { Socket } from "node:net";

/** Once it is closed, by a reset as well: `once` of node:events would reject at its error. */
export function closed(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket
    .on("error", () => {})
    .once("close", () => resolve())
    .resume();
  if (socket.closed) resolve();
  return promise;
}

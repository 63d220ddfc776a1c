/** Where a server of a test, or of a program beside them, listens. */

import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** On a free port, which it gives back, unless told one. */
export async function listen(server: Server, host = "127.0.0.1", port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

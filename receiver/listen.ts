/** Opens listeners, and says in words why one could not be opened. */

import type { Server } from "node:net";
import { authority } from "../contract/requests/authority.ts";

import { codeOf, lackOfDescriptors } from "../contract/text/thrown.ts";
import type { ListenAddress } from "./options.ts";

export type ReceiverErrorCode = "listen-failed" | "no-descriptors" | "thread-died" | "closed";

/** What keeps a receiver from working; `message` says what, which value and what was expected. */
export class ReceiverError extends Error {
  override readonly name = "ReceiverError";
  readonly code: ReceiverErrorCode;

  constructor(code: ReceiverErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Resolves with the port that is listened on. */
export function listen(server: Server, address: ListenAddress, purpose: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, address, purpose)));
    server.listen(address, () => {
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : address.port);
    });
  });
}

function listenError(error: Error, { host, port }: ListenAddress, purpose: string): ReceiverError {
  const code = codeOf(error) ?? error.message;
  const where = `cannot listen on ${authority(host, port)} for ${purpose} (${code})`;
  const kind = lackOfDescriptors(error) === null ? "listen-failed" : "no-descriptors";
  return new ReceiverError(kind, `${where}; ${remedy(code)}`);
}

function remedy(code: string): string {
  switch (code) {
    case "EADDRINUSE":
      return "expected a free port: end what uses it, or name another one (0 takes a free one)";
    case "EACCES":
      return "expected a port that this user may open: name one from 1024 on";
    case "EMFILE":
    case "ENFILE":
      return "expected a file descriptor to be left";
    default:
      return "expected an address of this machine";
  }
}

/** A host that a client on this machine can reach, also where a listener takes any address. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

/** HTTPS in front of a service: ends TLS, and passes every byte on as it came. */

import { connect } from "node:net";
import { createServer } from "node:tls";
import { listen } from "../http/listen.ts";
import { LOCALHOST_CERTIFICATE, LOCALHOST_CERTIFICATE_KEY } from "./certificate.ts";

/** Something that stands before a service. */
export interface Front {
  baseUrl: string;
  close(): Promise<void>;
}

export async function openTlsFront(serviceUrl: string): Promise<Front> {
  const { hostname, port } = new URL(serviceUrl);
  const given = { cert: LOCALHOST_CERTIFICATE, key: LOCALHOST_CERTIFICATE_KEY };
  const server = createServer(given, (secure) => {
    const plain = connect(Number(port), hostname);
    secure.pipe(plain).pipe(secure);
    // Either end may reset its connection; the other one ends with it.
    secure.on("error", () => plain.destroy()).on("close", () => plain.destroy());
    plain.on("error", () => secure.destroy()).on("close", () => secure.destroy());
  });
  return {
    baseUrl: `https://localhost:${await listen(server)}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

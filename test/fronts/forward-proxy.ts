/** A proxy that a company may have: CONNECT for HTTPS, whole addresses for HTTP. */

import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { listen } from "../http/listen.ts";

export interface ForwardProxy {
  /** With the user and password that it asks for. */
  url: string;
  /** What it was asked for: `CONNECT host:port`, or a method with the whole address. */
  asked: string[];
  close(): void;
}

const CREDENTIALS = "user:pass";
const EXPECTED = `Basic ${Buffer.from(CREDENTIALS).toString("base64")}`;

/** Everything leads to the port of this machine, as the names of tests are known to nobody. */
export async function openForwardProxy(port: number): Promise<ForwardProxy> {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    asked.push(`${method} ${url}`);
    const { "proxy-authorization": credentials, ...others } = headers;
    if (credentials !== EXPECTED) {
      outgoing.writeHead(407).end();
      return;
    }
    const { pathname, search } = new URL(url);
    const place = { host: "127.0.0.1", port, method, path: pathname + search, headers: others };
    incoming.pipe(
      httpRequest(place, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      }),
    );
  });
  server.on("connect", ({ url, headers }, socket: Duplex) => {
    asked.push(`CONNECT ${url}`);
    if (headers["proxy-authorization"] !== EXPECTED) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const service = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(service).pipe(socket);
    });
    socket.on("error", () => service.destroy()).on("close", () => service.destroy());
    service.on("error", () => socket.destroy()).on("close", () => socket.destroy());
  });
  const at = await listen(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://${CREDENTIALS}@127.0.0.1:${at}`, asked, close };
}

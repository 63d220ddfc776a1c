/** A service that costs next to nothing: jobs that run until they are told to end. Own process. */

import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";

const CREATED = new Date().toISOString();
let jobs = 0;

/** Answers every whole request head in the buffer; bodies are small and come with their head. */
function answer(socket: Socket, text: string): string {
  let rest = text;
  let out = "";
  for (let end = rest.indexOf("\r\n\r\n"); end >= 0; end = rest.indexOf("\r\n\r\n")) {
    const head = rest.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (rest.length < end + 4 + length) break;
    rest = rest.slice(end + 4 + length);
    out += head.startsWith("POST") ? accept() : show(head.slice(13, head.indexOf(" ", 13)));
  }
  if (out !== "") socket.write(out);
  return rest;
}

function accept(): string {
  jobs += 1;
  const job_uuid = `job_${String(jobs).padStart(6, "0")}`;
  const body = { job_uuid, worker_id: "sleep", status: "QUEUED", submitted_at: CREATED };
  return respond("202 Accepted", JSON.stringify(body));
}

function show(id: string): string {
  return respond("200 OK", `{"job_id":"${id}",${RUNNING}`);
}

const RUNNING = JSON.stringify({
  worker_id: "sleep",
  status: "RUNNING",
  timestamps: { submitted_at: CREATED, started_at: CREATED, finished_at: null, duration_ms: null },
  output: { kind: "empty", data: null, items: [], meta: {} },
  files: [],
  cost: null,
  error: null,
}).slice(1);

function respond(status: string, body: string): string {
  const type = "content-type: application/json";
  return `HTTP/1.1 ${status}\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const server = createServer((socket) => {
  let rest = "";
  socket.setNoDelay(true);
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    rest = answer(socket, rest + String(chunk));
  });
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("disconnect", () => process.exit());

/** The least that a service of Node's can be: one answer to everything. A process of its own. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const BODY = JSON.stringify({ job_id: "job_1", status: "RUNNING", output: { kind: "empty" } });
const HEADERS = { "content-type": "application/json", "content-length": BODY.length };

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, HEADERS).end(BODY);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ baseUrl: `http://127.0.0.1:${port}` });
});
process.on("disconnect", () => process.exit());

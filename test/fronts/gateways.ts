/**
 * nginx and HAProxy as gateways: they end HTTPS, offer HTTP/2, keep connections to the service, and
 * pass headers and bodies on. `NGINX_BIN` and `HAPROXY_BIN` name the programs; else they are looked
 * for where Debian's packages put them, and on the path.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../http/free-port.ts";
import { LOCALHOST_CERTIFICATE, LOCALHOST_CERTIFICATE_KEY } from "./certificate.ts";
import type { Front } from "./tls.ts";
import { untilItListens } from "./until-it-listens.ts";

interface Gateway {
  name: string;
  variable: string;
  args: (folder: string) => readonly string[];
  config: (listens: number, serviceUrl: URL, folder: string) => string;
}

const CONFIG = "gateway.conf";
const PEM = "localhost.pem";

const NGINX: Gateway = {
  name: "nginx",
  variable: "NGINX_BIN",
  args: (folder) => ["-p", folder, "-c", path.join(folder, CONFIG), "-e", "stderr"],
  config: (listens, { host }, folder) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder};
  proxy_temp_path ${folder};
  fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder};
  scgi_temp_path ${folder};
  client_max_body_size 10m;
  upstream service { server ${host}; keepalive 64; }
  server {
    listen 127.0.0.1:${listens} ssl http2;
    ssl_certificate ${folder}/${PEM};
    ssl_certificate_key ${folder}/${PEM};
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }
}
`,
};

const HAPROXY: Gateway = {
  name: "haproxy",
  variable: "HAPROXY_BIN",
  args: (folder) => ["-db", "-q", "-f", path.join(folder, CONFIG)],
  config: (listens, { host }, folder) => `
global
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend clients
  bind 127.0.0.1:${listens} ssl crt ${folder}/${PEM} alpn h2,http/1.1
  default_backend service
backend service
  server reference ${host}
`,
};

export const openNginxFront = (serviceUrl: string) => openGateway(NGINX, serviceUrl);
export const openHaproxyFront = (serviceUrl: string) => openGateway(HAPROXY, serviceUrl);

async function openGateway(gateway: Gateway, serviceUrl: string): Promise<Front> {
  const program = await programOf(gateway);
  const folder = await mkdtemp(path.join(tmpdir(), `plumbline-${gateway.name}-`));
  const port = await freePort();
  const pem = `${LOCALHOST_CERTIFICATE}\n${LOCALHOST_CERTIFICATE_KEY}`;
  await writeFile(path.join(folder, PEM), pem, { mode: 0o600 });
  await writeFile(path.join(folder, CONFIG), gateway.config(port, new URL(serviceUrl), folder));
  const child = spawn(program, gateway.args(folder), { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  try {
    await untilItListens(child, port, gateway.name);
  } catch (error) {
    child.kill();
    throw error;
  }
  return {
    baseUrl: `https://localhost:${port}`,
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function programOf({ name, variable }: Gateway): Promise<string> {
  const given = process.env[variable];
  if (given) return given;
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin"];
  for (const folder of folders) {
    const candidate = path.join(folder, name);
    const isThere = access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (await isThere) return candidate;
  }
  throw new Error(`no ${name} found on PATH; install the package ${name}, or set ${variable}`);
}

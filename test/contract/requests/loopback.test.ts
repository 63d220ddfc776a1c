/** Which addresses are this machine's, as they are written in target files. */

import { expect, it } from "vitest";

import { isInternal, isLoopback, isLoopbackHost } from "../../../contract/requests/loopback.ts";

it.each([
  "http://127.0.0.1:8080",
  "http://127.1/v1",
  "https://localhost",
  "HTTP://LOCALHOST:8080",
  "http://localhost.:8080/",
  "http://[::1]:8080",
  "http://[0:0:0:0:0:0:0:1]:8080",
])("%s is this machine's", (url) => {
  expect(isLoopback(url)).toBe(true);
});

it.each([
  "http://127.example.com",
  "http://127.0.0.1.example.com:8080",
  "http://127.0.0.1@example.com",
  "http://localhost:80@example.com",
  "http://localhost.example.com",
  "http://[::2]:8080",
  "http://[::1:1]",
  "nonsense",
  "",
])("%s is not", (url) => {
  expect(isLoopback(url)).toBe(false);
});

it("takes a host without its brackets, too", () => {
  expect(["::1", "[::1]", "127.0.0.53", "0.0.0.0", "::"].map(isLoopbackHost)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it.each([
  "http://10.0.3.7:8080/bucket",
  "https://192.168.1.2",
  "http://172.31.0.1/f?sign=1",
  "http://169.254.169.254",
  "http://[fd12:3456::1]:9000",
  "http://minio:9000/jobs/1",
  "http://store.svc.cluster.local",
  "https://files.corp.internal.",
  "http://minio.renders.svc:9000/renders/1",
  "https://files.corp",
  "http://localhost:9000",
])("%s is of one network", (url) => {
  expect(isInternal(url)).toBe(true);
});

it.each([
  "http://8.10.0.1",
  "http://172.32.0.1",
  "http://10.0.0.1.example.com",
  "https://internal.example.com",
  "https://svc.example.com",
  "https://storage.example.com/10.0.0.1",
  "https://minio@storage.example.com",
  "http://[2001:db8::1]:9000",
  "nonsense",
  "",
])("%s is not", (url) => {
  expect(isInternal(url)).toBe(false);
});

/** What an error says of a submission: once there was a connection, a job may have begun. */

import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import type { Received } from "../../http/answer.ts";
import { Answer } from "../../http/answer.ts";
import { readSubmission } from "../../probe/outcome.ts";

const CONNECTED: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

/** What a submission that failed so is taken for. */
function submitted(code: string, isConnected: boolean): string {
  const received: Received[] = [];
  const answer = new Answer((each) => received.push(each));
  if (isConnected) answer.onRequestStart(CONNECTED);
  answer.onResponseError(CONNECTED, Object.assign(new Error(code), { code }));
  const asked = {
    method: "POST",
    route: "submit",
    path: "/",
    key: null,
    requestBody: "{}",
  } as const;
  return received
    .map((each) => readSubmission({ ...asked, ...each, sentAtMs: 0, receivedAtMs: 1 }).kind)
    .join();
}

describe.each([
  ["a route that is lost", "EHOSTUNREACH"],
  ["a TLS record that is spoilt", "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC"],
  ["a TLS protocol error", "EPROTO"],
  ["a reset", "ECONNRESET"],
  ["an error that nobody knows", "EWHATEVER"],
])("%s", (_, code) => {
  it("before there was a connection means that nothing was sent", () => {
    expect(submitted(code, false)).toBe("refused");
  });

  it("after it leaves open whether a job began", () => {
    expect(submitted(code, true)).toBe("ambiguous");
  });
});

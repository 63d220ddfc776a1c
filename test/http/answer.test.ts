/** What an error says of a submission: once there was a connection, a job may have begun. */

import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import type { Received } from "../../http/answer.ts";
import { Answer, Room } from "../../http/answer.ts";
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
  const answer = new Answer((each) => received.push(each), new Room());
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

describe("the room of all answers on their way", () => {
  /** An answer of seven megabytes that is still to end; what became of it is told. */
  function begun(room: Room, told: Received[]): Answer {
    const answer = new Answer((each) => told.push(each), room);
    answer.onRequestStart(CONNECTED);
    answer.onResponseStart(CONNECTED, 200, {});
    answer.onResponseData(CONNECTED, Buffer.alloc(7 * 1024 * 1024, "x"));
    return answer;
  }

  it("is 64 megabytes: what finds none is not read, and what ended leaves its own", () => {
    const [room, told] = [new Room(), [] as Received[]];
    const nine = Array.from({ length: 9 }, () => begun(room, told));
    expect(told).toEqual([]);
    begun(room, told);
    expect(told).toMatchObject([{ status: 0, error: "unread", body: "" }]);
    nine[0]?.onResponseEnd();
    nine[1]?.giveUp();
    begun(room, told);
    begun(room, told);
    expect(told.map(({ error }) => error)).toEqual(["unread", null, "timeout"]);
    begun(room, told);
    expect(told.map(({ error }) => error)).toEqual(["unread", null, "timeout", "unread"]);
  });
});

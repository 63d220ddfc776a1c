/** Downloads of job files by presigned address. Spec §2.7. */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../contract/time/clock.ts";
import { wholeMs } from "../clock.ts";
import type { Answer, RequestFacts } from "../http.ts";
import type { JobStore } from "../jobs/store.ts";

/** Ours: "temporary" in the specification, an hour here. */
const VALID_MS = 3_600_000;

export class FileStorage {
  private readonly secret: string;
  private readonly store: JobStore;
  private readonly clock: Clock;

  constructor(secret: string, store: JobStore, clock: Clock) {
    this.secret = secret;
    this.store = store;
    this.clock = clock;
  }

  /** Path and query under which a file can be had for a while. */
  address(fileId: string): string {
    const expires = wholeMs(this.clock) + VALID_MS;
    return `/storage/${fileId}?expires=${expires}&signature=${this.sign(fileId, expires)}`;
  }

  /** The address carries its own right: no key is asked for, and no rate limit counts. */
  download(fileId: string, { expires, signature }: RequestFacts["query"]): Answer {
    if (!this.isValid(fileId, Number(expires), signature ?? "")) {
      return refusal(403, "the address is invalid or has expired");
    }
    const file = this.find(fileId);
    if (file === null) return refusal(404, "the file is gone");
    const headers = { "content-type": file.contentType };
    return { status: 200, headers, body: undefined, text: file.text };
  }

  private find(fileId: string) {
    const job = this.store.findAnywhere(fileId.slice(0, fileId.lastIndexOf(".")));
    return job?.files.find((file) => file.id === fileId) ?? null;
  }

  private isValid(fileId: string, expires: number, signature: string): boolean {
    const expected = Buffer.from(this.sign(fileId, expires));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return expires > wholeMs(this.clock);
  }

  private sign(fileId: string, expires: number): string {
    return createHmac("sha256", this.secret).update(`${fileId} ${expires}`).digest("hex");
  }
}

function refusal(status: number, error: string): Answer {
  return { status, headers: {}, body: { error } };
}

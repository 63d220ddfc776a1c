/** Downloads of job files by presigned address. Spec §2.7. */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { JobStore } from "../jobs/store.ts";

/** Ours: "temporary" in the specification, an hour here. */
const VALID_MS = 3_600_000;

export class FileStorage {
  private readonly secret: string;
  private readonly store: JobStore;

  constructor(secret: string, store: JobStore) {
    this.secret = secret;
    this.store = store;
  }

  /** Path and query under which a file can be had for a while. */
  address(fileId: string): string {
    const expires = Date.now() + VALID_MS;
    return `/storage/${fileId}?expires=${expires}&signature=${this.sign(fileId, expires)}`;
  }

  register(app: FastifyInstance): void {
    app.get<{ Params: { id: string }; Querystring: Record<string, string | undefined> }>(
      "/storage/:id",
      (request, reply) => {
        const { expires, signature } = request.query;
        if (!this.isValid(request.params.id, Number(expires), signature ?? "")) {
          return reply.code(403).send({ error: "the address is invalid or has expired" });
        }
        const file = this.find(request.params.id);
        if (file === null) return reply.code(404).send({ error: "the file is gone" });
        return reply.header("content-type", file.contentType).send(file.text);
      },
    );
  }

  private find(fileId: string) {
    const job = this.store.findAnywhere(fileId.slice(0, fileId.lastIndexOf(".")));
    return job?.files.find((file) => file.id === fileId) ?? null;
  }

  private isValid(fileId: string, expires: number, signature: string): boolean {
    const expected = Buffer.from(this.sign(fileId, expires));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return expires > Date.now();
  }

  private sign(fileId: string, expires: number): string {
    return createHmac("sha256", this.secret).update(`${fileId} ${expires}`).digest("hex");
  }
}

/**
 * What a delivery says, where its body came packed: a sender may pack what it posts. Signed is what
 * was sent, or what was packed: which of them is open. Spec §5.5, §6; RFC 9110 §8.4.
 */

import type { Signed } from "../contract/jobs/delivery.ts";
import { canUnpack, unpacked } from "../http/unpack.ts";
import type { ReadBody } from "./request-body.ts";
import type { BodyCheck } from "./signature.ts";

export interface OpenedBody extends Omit<Signed, "signature"> {
  body: Buffer;
  /** It is not known whole: too long, broken off, or packed so that nobody here can read it. */
  truncated: boolean;
  /** null: not checked yet. */
  signature: Signed["signature"] | null;
}

interface Opening {
  encoding: string | undefined;
  /** Of what is unpacked no more is kept than of what comes as it is. */
  capBytes: number;
  beginCheck: () => BodyCheck;
}

export function openedBody(
  read: ReadBody,
  { encoding, capBytes, beginCheck }: Opening,
): OpenedBody {
  const { kept, bytes, check, end } = read;
  const truncated = bytes > kept.length || end !== "complete";
  const isSent = encoding === undefined || encoding.trim().toLowerCase() === "identity";
  if (isSent || kept.length === 0) {
    const signed = check?.end(end === "complete") ?? { signature: null };
    return { body: kept, truncated, ...signed };
  }
  const checked = (body: Buffer, isWhole: boolean) => {
    const own = beginCheck();
    own.take(body);
    return own.end(isWhole);
  };
  const sent = check?.end(end === "complete") ?? checked(kept, !truncated);
  const body = truncated || !canUnpack(encoding) ? null : unpacked(kept, encoding, capBytes);
  if (body instanceof Buffer) {
    return { body, truncated, ...(sent.signature === "invalid" ? checked(body, true) : sent) };
  }
  // A proxy may unpack a body and leave its header.
  if (!truncated && isJson(kept)) return { body: kept, truncated, ...sent };
  // What was packed may be what was signed: nobody can tell.
  const open: Signed = sent.signature === "invalid" ? { signature: "present" } : sent;
  return { body: kept, truncated: true, ...open };
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}

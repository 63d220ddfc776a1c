/** Whether an address is this machine's. RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3. */

const LOOPBACK = /^https?:\/\/(127\.|\[::1\]|localhost[:/]|localhost$)/;

export function isLoopback(url: string): boolean {
  return LOOPBACK.test(url);
}

/** Whether an address is this machine's. RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3. */

/** Whether only this machine reaches the host; an address of IPv6 may stand in brackets. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || /^127\./.test(name);
}

const HOST = /^https?:\/\/(\[[^\]]*\]|[^/:?#]*)/;

/** The same of a URL; k6 has no parser of them. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(HOST.exec(url)?.[1] ?? "");
}

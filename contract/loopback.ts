/** Whether an address is this machine's. RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3. */

/** Whether only this machine reaches the host; an address of IPv6 may stand in brackets. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.replace(/^\[|\]$/g, ""));
}

const LOOPBACK = /^(?:localhost\.?|127(?:\.\d{1,3}){1,3}|(?:::|(?:0{1,4}:){7})0{0,3}1)$/i;
/** Behind the name and password of a user. RFC 3986 §3.2. */
const HOST = /^https?:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/:?#]*)/i;

/** The same of a URL; k6 has no parser of them. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(HOST.exec(url)?.[1] ?? "");
}

/** Whether no way lies between service and receiver that could delay or lose what is sent. */
export function isBesideUs(baseUrl: string, receiver: { publicUrl: string } | null): boolean {
  return receiver !== null && isLoopback(baseUrl) && isLoopback(receiver.publicUrl);
}

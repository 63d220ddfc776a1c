/**
 * Whether an address is this machine's, or its network's own. RFC 1122 §3.2.1.3, RFC 4291 §2.5.3,
 * RFC 6761 §6.3.
 */

/** Whether only this machine reaches the host; an address of IPv6 may stand in brackets. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.replace(/^\[|\]$/g, ""));
}

const LOOPBACK = /^(?:localhost\.?|127(?:\.\d{1,3}){1,3}|(?:::|(?:0{1,4}:){7})0{0,3}1)$/i;
/** Behind the name and password of a user. RFC 3986 §3.2. */
const HOST = /^https?:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/:?#]*)/i;

/** Without its brackets; "" where the text is no URL. K6 has no parser of them. */
export function hostIn(url: string): string {
  return (HOST.exec(url)?.[1] ?? "").replace(/^\[|\]$/g, "");
}

/** The same of a URL. */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(hostIn(url));
}

/**
 * Whether a URL names a host that only machines of one network find: a private or link-local
 * address, a name of one label, or one that no public server of names knows. RFC 1918 §3, RFC 3927,
 * RFC 4193 §3, RFC 6762 §3 and appendix G, RFC 8375; `.internal` is ICANN's for private use, `.svc`
 * what Kubernetes calls its services.
 */
export function isInternal(url: string): boolean {
  const host = hostIn(url);
  return host !== "" && (isLoopbackHost(host) || INTERNAL.some((form) => form.test(host)));
}

const INTERNAL = [
  /^(?:10(?:\.\d{1,3}){3}|(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2})$/,
  /^(?:f[cd][\da-f]{2}|fe[89ab][\da-f]):/i,
  /^[^.:]+\.?$/,
  /\.(?:internal|local|localdomain|lan|home\.arpa|intranet|private|corp|home|svc)\.?$/i,
] as const;

/** Whether no way lies between service and receiver that could delay or lose what is sent. */
export function isBesideUs(baseUrl: string, receiver: { publicUrl: string } | null): boolean {
  return receiver !== null && isLoopback(baseUrl) && isLoopback(receiver.publicUrl);
}

/** Host and port as they stand in a URL; an IPv6 address in brackets. RFC 3986 §3.2.2. */
export function authority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Where webhooks may be sent. Whoever can submit a job names an address: a service that posts to
 * any is a way into the network that it stands in.
 */

import type { LookupAddress, LookupOptions } from "node:dns";
import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP } from "node:net";
import { isLoopbackHost } from "../../contract/requests/loopback.ts";

/** `loopback`: this machine alone; `private`: its private networks, too, and never the internet. */
export type WebhookReach = "loopback" | "private";

/** Whoever listens for this machine alone posts to it alone. */
export function reachOf(host: string): WebhookReach {
  return isLoopbackHost(host) ? "loopback" : "private";
}

type Family = "ipv4" | "ipv6";

/** RFC 1122 §3.2.1.3, RFC 4291 §2.5.3. */
const LOOPBACK = listOf(["127.0.0.0", 8, "ipv4"], ["::1", 128, "ipv6"]);

/** RFC 1918, RFC 4193. Link-local ones, where clouds keep their metadata, are none of them. */
const PRIVATE = listOf(
  ["10.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["fc00::", 7, "ipv6"],
);

/** Metadata of a cloud at a private address: fd00:ec2::254 of Amazon's. */
const NEVER = listOf(["fd00:ec2::", 32, "ipv6"]);

function listOf(...subnets: readonly (readonly [string, number, Family])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix, family] of subnets) list.addSubnet(address, prefix, family);
  return list;
}

/** Of an address of IPv4 or IPv6, also of one of IPv4 within one of IPv6. */
export function isAllowed(address: string, reach: WebhookReach): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  if (LOOPBACK.check(address, family)) return true;
  const isPrivate = PRIVATE.check(address, family) && !NEVER.check(address, family);
  return reach === "private" && isPrivate;
}

/** Whether it is a URL of a host that may be asked: an address that is allowed, or any name. */
export function mayName(url: string, reach: WebhookReach): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 || isAllowed(host, reach);
}

export type Lookup = (
  hostname: string,
  options: LookupOptions,
  callback: (
    error: NodeJS.ErrnoException | null,
    address: string | LookupAddress[],
    family?: number,
  ) => void,
) => void;

/**
 * A lookup of names whose addresses outside the reach do not exist. The connection is made to what
 * it answers, so that a name that resolves to something else a moment later leads nowhere.
 */
export function boundedLookup(
  reach: WebhookReach,
  lookup: Lookup = systemLookup as Lookup,
): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const all = (found as LookupAddress[]).filter(({ address }) => isAllowed(address, reach));
      const [first] = all;
      if (first === undefined) return callback(outOfReach(hostname), []);
      if (options.all === true) callback(null, all);
      else callback(null, first.address, first.family);
    });
}

function outOfReach(hostname: string): NodeJS.ErrnoException {
  const message = `webhook host "${hostname}" resolves to no address that may be posted to`;
  return Object.assign(new Error(message), { code: "EADDRNOTAVAIL" });
}

/**
 * The proxy of a request, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name it. k6 reads the same
 * variables, so that both ways to the service are one. Source: Go, golang.org/x/net/http/httpproxy.
 */

import { BlockList, isIP, isIPv6 } from "node:net";
import { isLoopbackHost } from "../contract/requests/loopback.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };
const SCHEMES = ["http:", "https:"];

/**
 * null: the way is direct, as it always is to this machine. `url` is one of http or https. Throws
 * an Error, without the value, which may hold a password, where a variable has no address.
 */
export function proxyFor(url: string, variables: Variables): string | null {
  const { protocol, hostname, port } = new URL(url);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = variableOf(variables, name);
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (value === "" || isLoopbackHost(host)) return null;
  const exceptions = variableOf(variables, "NO_PROXY").split(",");
  const place = { host, port: port || (DEFAULT_PORTS[protocol] ?? "") };
  if (exceptions.some((exception) => isExcepted(place, exception.trim().toLowerCase())))
    return null;
  return proxyAddress(name, value);
}

/** Of a program's environment; the spelling in capitals goes first. */
function variableOf(variables: Variables, name: string): string {
  return variables[name] || variables[name.toLowerCase()] || "";
}

function proxyAddress(name: string, value: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : NO_ADDRESS;
  if (hostname !== "" && SCHEMES.includes(protocol)) return address;
  throw new Error(`${name} is not the address of a proxy; expected http://host:port`);
}

const NO_ADDRESS = { protocol: "", hostname: "" };

interface Place {
  host: string;
  port: string;
}

/** `exception`: `*`, an address, a range, or a domain; an address or a domain may have a port. */
function isExcepted({ host, port }: Place, exception: string): boolean {
  if (exception === "*") return true;
  if (exception.includes("/")) return isInRange(host, exception);
  const [, bare = "", only] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(exception) ?? [];
  const name = bare.replace(/^\[|\]$/g, "").replace(/^\*\./, ".");
  if (name === "" || (only !== undefined && only !== port)) return false;
  if (isIP(name) !== 0) return name === host;
  return name.startsWith(".") ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function isInRange(host: string, range: string): boolean {
  const [network = "", bits = ""] = range.split("/");
  if (isIP(host) === 0 || isIP(network) === 0 || !/^\d{1,3}$/.test(bits)) return false;
  const most = isIPv6(network) ? 128 : 32;
  if (Number(bits) > most) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), isIPv6(network) ? "ipv6" : "ipv4");
  return list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

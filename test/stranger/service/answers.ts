/** Answers before they are dressed, and the dress: headers, spelling, error bodies. */

import { createHash } from "node:crypto";
import type { Answer } from "../../../reference/http.ts";
import type { Verdict } from "./limiters.ts";
import type { House } from "./ports.ts";

export interface Plain {
  status: number;
  body: unknown;
  /** Sent as it is, in place of the body. */
  text?: string;
  headers: Readonly<Record<string, string>>;
}

export function ok(body: unknown, status = 200, headers: Plain["headers"] = {}): Plain {
  return { status, body, headers };
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  402: "Payment Required",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

export function problem(
  status: number,
  message: string,
  { picks }: House,
  headers: Plain["headers"] = {},
): Plain {
  const title = TITLES[status] ?? "Error";
  const code = title.toLowerCase().replaceAll(" ", "_");
  switch (picks.errorBody) {
    case "same":
      return { status, headers, body: { error: code, message, status } };
    case "detail":
      return { status, headers, body: { type: "about:blank", title, detail: message } };
    case "list":
      return { status, headers, body: { errors: [{ code, detail: message }] } };
    case "empty":
      return { status, headers, body: null, text: "" };
    case "html": {
      const text = `<html><body><h1>${status} ${title}</h1></body></html>`;
      return { status, headers: { "Content-Type": "text/html", ...headers }, body: null, text };
    }
  }
}

type KeyTrouble = "missing" | "invalid" | "revoked";

export function unauthorized(why: KeyTrouble, { picks, trouble }: House): Plain {
  if (trouble.strikes("plain-401-of-gateway")) {
    return { status: 401, headers: { "Content-Type": "text/plain" }, body: null, text: "denied" };
  }
  const error = picks.authCodes === "one" ? "unauthorized" : `${why}_api_key`;
  const isText = trouble.has("status-as-text-when-revoked") && why === "revoked";
  const extra = picks.authCodes === "nested-extra" ? { details: { hint: null }, docs: [] } : {};
  const body = { error, message: `API key ${why}`, status: isText ? "401" : 401, ...extra };
  return { status: 401, headers: { "WWW-Authenticate": "ApiKey" }, body };
}

/** Headers of every answer of a key whose allowance is known. */
export function rateHeaders({ left }: Verdict, burst: number, { picks }: House) {
  if (picks.rateHeaders === "none") return {};
  if (picks.rateHeaders === "x-ratelimit") {
    return { "X-RateLimit-Limit": `${burst}`, "X-RateLimit-Remaining": `${Math.max(0, left)}` };
  }
  return { "RateLimit-Policy": `"plan";q=${burst};w=2`, RateLimit: `"plan";r=${left};t=1` };
}

export function dressed(plain: Plain, house: House): Answer {
  const { picks } = house;
  const text = plain.text ?? jsonOf(plain.body, house);
  const hash = createHash("sha1").update(text).digest("base64url");
  const headers = {
    "Content-Type": CONTENT_TYPES[picks.contentType],
    "Cache-Control": "no-store",
    ...(picks.dateHeader === "present" || picks.retryAfter === "http-date" ? dateOf(house) : {}),
    ...(picks.requestId === "header" ? { "X-Request-Id": hash.slice(0, 12) } : {}),
    ...(picks.etag === "none" ? {} : { ETag: `${picks.etag === "weak" ? "W/" : ""}"${hash}"` }),
    ...plain.headers,
  };
  return { status: plain.status, headers: spelt(headers, house), body: plain.body, text };
}

const CONTENT_TYPES = {
  plain: "application/json",
  charset: "application/json; charset=utf-8",
  "charset-upper": "application/json;charset=UTF-8",
  html: "text/html; charset=utf-8",
} as const;

function dateOf({ ports }: House): Record<string, string> {
  return { Date: new Date(ports.clock.nowMs()).toUTCString() };
}

function spelt(headers: Plain["headers"], { picks }: House): Record<string, string> {
  if (picks.headerCase === "canonical") return { ...headers };
  const isLower = picks.headerCase === "lower";
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [isLower ? name.toLowerCase() : name.toUpperCase(), value]),
  );
}

function jsonOf(body: unknown, { picks }: House): string {
  const text = JSON.stringify(
    arranged(body, picks.order),
    null,
    picks.jsonText === "pretty" ? 2 : 0,
  );
  if (picks.jsonText !== "ascii") return text;
  return text.replace(/[\u0080-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The same with the fields of objects in another order. */
function arranged(body: unknown, order: House["picks"]["order"]): unknown {
  if (order === "usual" || typeof body !== "object" || body === null) return body;
  if (Array.isArray(body)) return body.map((item) => arranged(item, order));
  const entries = Object.entries(body).map(([name, value]) => [name, arranged(value, order)]);
  const moved =
    order === "reversed"
      ? entries.reverse()
      : entries.sort(([a], [b]) => (`${a}` < `${b}` ? -1 : 1));
  return Object.fromEntries(moved);
}

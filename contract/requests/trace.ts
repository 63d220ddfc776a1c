/** W3C Trace Context: ties the suite's requests to the service's own traces. It judges nothing. */

/** Of a trace id and a span id together. Source: W3C Trace Context, §3.2.2. */
export const TRACE_BYTES = 24;

const TRACE_ID_CHARS = 32;
const SPAN_ID_CHARS = 16;

export interface TraceContext {
  /** 32 hexadecimal digits, as tracing back ends list it. */
  traceId: string;
  /** Value of the header `traceparent`; sampled, as whoever asks for traces wants to find them. */
  traceparent: string;
}

/** `bytes`: TRACE_BYTES of them, at random. */
export function traceContext(bytes: Uint8Array): TraceContext {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const traceId = valid(hex.slice(0, TRACE_ID_CHARS));
  const spanId = valid(hex.slice(TRACE_ID_CHARS, TRACE_ID_CHARS + SPAN_ID_CHARS));
  return { traceId, traceparent: `00-${traceId}-${spanId}-01` };
}

/** An id of zeros alone is none. */
function valid(id: string): string {
  return /^0+$/.test(id) ? `${id.slice(1)}1` : id;
}

/** Stands for the trace id in an address. */
export const TRACE_ID_HERE = "{traceId}";

export function traceLink(template: string, traceId: string): string {
  return template.replaceAll(TRACE_ID_HERE, traceId);
}

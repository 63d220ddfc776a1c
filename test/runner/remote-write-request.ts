/**
 * Reads a Prometheus remote write: Snappy's block format around a `prometheus.WriteRequest`. Texts
 * are not to be looked for in what is packed: Snappy writes what came before as a reference.
 */

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { uncompress } from "snappyjs";

/** One series of a request. Values in the order sent; a stale marker is NaN. */
export interface SentSeries {
  labels: Readonly<Record<string, string>>;
  values: readonly number[];
}

/** Numbers of the fields. Source: prompb/remote.proto and prompb/types.proto of Prometheus. */
const TIMESERIES = 1;
const LABELS = 1;
const SAMPLES = 2;
const LABEL_NAME = 1;
const LABEL_VALUE = 2;
const SAMPLE_VALUE = 1;

export function decodeWriteRequest(packed: Uint8Array): readonly SentSeries[] {
  const fields = fieldsOf(uncompress(packed));
  return fields.flatMap(([field, value]) => (field === TIMESERIES ? seriesOf(value) : []));
}

function seriesOf(message: FieldValue): SentSeries {
  const fields = fieldsOf(message);
  const labels = fields.flatMap(([field, value]) => (field === LABELS ? [labelOf(value)] : []));
  const values = fields.flatMap(([field, value]) => (field === SAMPLES ? [sampleOf(value)] : []));
  return { labels: Object.fromEntries(labels), values };
}

function labelOf(message: FieldValue): [name: string, value: string] {
  const fields = new Map(fieldsOf(message));
  const text = (field: number) => new TextDecoder().decode(bytesOf(fields.get(field)));
  return [text(LABEL_NAME), text(LABEL_VALUE)];
}

/** A value of 0 is not sent. */
function sampleOf(message: FieldValue): number {
  const value = new Map(fieldsOf(message)).get(SAMPLE_VALUE) ?? 0;
  if (typeof value !== "number") throw new Error("a sample's value is no double");
  return value;
}

type FieldValue = Uint8Array | number | undefined;

function bytesOf(value: FieldValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new Error(`field holds ${String(value)}; expected bytes`);
}

/** Number and value of each field; of other wire types than bytes and doubles no value. */
function fieldsOf(message: FieldValue): readonly (readonly [number, FieldValue])[] {
  const reader = new BinaryReader(bytesOf(message));
  const fields: (readonly [number, FieldValue])[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) fields.push([field, reader.bytes()]);
    else if (type === WireType.Bit64) fields.push([field, reader.double()]);
    else reader.skip(type, field);
  }
  return fields;
}

/** A name server that knows what a test tells it, one IPv4 address a name. RFC 1035, section 4. */

import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface DnsServer {
  /** Addresses by name; may be changed at any time. There are no other names. */
  answers: Map<string, string>;
  /** Once somebody asked for the address of a name, and the answer was sent. */
  asked(name: string): Promise<void>;
  close(): void;
}

/** Where systems ask. RFC 1035, section 4.2. */
const PORT = 53;
const HEADER_BYTES = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
/** It is a response, of an authority; who asked for recursion has it. */
const FLAGS = 0x8480;
const RECURSION_DESIRED = 0x0100;
const NAME_ERROR = 3;
/** Points to the name in the question, behind the header. */
const SAME_NAME = 0xc000 + HEADER_BYTES;

export async function startDnsServer(address: string): Promise<DnsServer> {
  const answers = new Map<string, string>();
  const asked = new Map<string, PromiseWithResolvers<void>>();
  const askedFor = (name: string) => {
    const known = asked.get(name) ?? Promise.withResolvers<void>();
    asked.set(name, known);
    return known;
  };
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address: from }) => {
    const question = questionOf(query);
    const reply = replyTo(query, question, answers.get(question.name) ?? null);
    socket.send(reply, port, from, () => {
      if (question.type === TYPE_A) askedFor(question.name).resolve();
    });
  });
  socket.bind(PORT, address);
  await once(socket, "listening");
  return { answers, asked: (name) => askedFor(name).promise, close: () => void socket.close() };
}

interface Question {
  name: string;
  type: number;
  /** Where it ends in the query. */
  end: number;
}

/** The one question of a query: its labels, each behind its length, its type and class. */
function questionOf(query: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join(".").toLowerCase();
  return { name, type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A name with an address exists for questions of other types, too, and has nothing for them. */
function replyTo(query: Buffer, { type, end }: Question, address: string | null): Buffer {
  const isAnswered = address !== null && type === TYPE_A;
  const header = Buffer.alloc(HEADER_BYTES);
  const recursion = query.readUInt16BE(2) & RECURSION_DESIRED;
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(FLAGS | recursion | (address === null ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isAnswered ? 1 : 0, 6);
  const question = query.subarray(HEADER_BYTES, end);
  return Buffer.concat([header, question, ...(isAnswered ? [recordOf(address)] : [])]);
}

/** That may be kept for no time. */
function recordOf(address: string): Buffer {
  const bytes = address.split(".").map(Number);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(SAME_NAME, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(0, 6);
  record.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([record, Buffer.from(bytes)]);
}

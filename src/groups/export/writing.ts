// Writes exports as text piece by piece: the portable document, and lines of JSON.

import type { ReadSession } from './artifacts.ts';
import type { Atom, PortableDoc, PortableIdentity, PortableRecord } from './portable.ts';
import { portableSchemaName, portableSchemaPath, portableVersion } from './portable.ts';

/** What a portable document says, with what is read while it is written. */
export interface Portable {
  exportedBy: string;
  at: Date;
  identity: PortableIdentity;
  atoms: AsyncIterable<Atom>;
  records: AsyncIterable<PortableRecord>;
  documents: AsyncIterable<PortableDoc>;
  sessions: AsyncIterable<ReadSession>;
}

export async function* portableText(document: Portable): AsyncGenerator<string> {
  const head = {
    $schema: portableSchemaPath,
    schema: portableSchemaName,
    version: portableVersion,
    exportedAtUtc: document.at.toISOString(),
    exportedBy: document.exportedBy,
    identity: document.identity,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"atoms":[`;
  yield* listed(jsonOf(document.atoms));
  yield '],"artifacts":[';
  yield* listed(artifactTexts(document));
  yield ']}\n';
}

async function* artifactTexts({ records, documents, sessions }: Portable): AsyncGenerator<string[]> {
  for await (const one of records) yield [JSON.stringify(one)];
  for await (const one of documents) yield [JSON.stringify(one)];
  for await (const { head, messages } of sessions) {
    const pieces = listed(jsonOf(messages));
    yield [`${JSON.stringify(head).slice(0, -1)},"messages":[`, ''];
    for await (const piece of pieces) yield ['', piece];
    yield ['', ']}'];
  }
}

async function* jsonOf(values: AsyncIterable<object>): AsyncGenerator<string[]> {
  for await (const value of values) yield [JSON.stringify(value)];
}

/** Items with commas between them. A piece of two parts goes on with an item: what stands first begins one. */
async function* listed(items: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let any = false;
  for await (const [begin = '', more = ''] of items) {
    if (begin !== '') {
      yield any ? `,\n${begin}` : `\n${begin}`;
      any = true;
    }
    if (more !== '') yield more;
  }
}

export async function* jsonLines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Characters that leave at once: single lines would cost more than what they say. */
const chunk = 64 * 1024;

/** Text as bytes, in chunks. */
export async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let waiting = '';
  for await (const text of texts) {
    waiting += text;
    if (waiting.length < chunk) continue;
    yield Buffer.from(waiting);
    waiting = '';
  }
  if (waiting !== '') yield Buffer.from(waiting);
}

/** The same values, each told to the counter as it passes. */
export async function* counting<T>(values: AsyncIterable<T>, count: (value: T) => void): AsyncGenerator<T> {
  for await (const value of values) {
    count(value);
    yield value;
  }
}

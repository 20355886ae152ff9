// What one file of an archive says: its format is found by what is in it, not by its name.
import type { ImportSourceProvider } from '../contract/enums.ts';
import type { ArchiveFile } from './archive.ts';
import type { Dict } from './fields.ts';
import { tooLarge } from './json-builder.ts';
import { jsonPieces, utf8 } from './json-pieces.ts';
import { csvFormats, formats, htmlFormats } from './providers/all.ts';
import type { FileReading, Format, Parsed, Piece, ReadMessage } from './shapes.ts';

/** What was read, and whose format it has; null for what has none. */
export interface Found {
  parsed: Parsed;
  format: Pick<Format, 'provider' | 'name'> | null;
}

/** Files of these kinds hold nothing to read. */
const media =
  /\.(?:png|jpe?g|gif|webp|svg|heic|avif|bmp|ico|mp[34]|m4a|wav|ogg|opus|webm|mov|avi|pdf|docx?|xlsx?|pptx?|dat|bin|exe|dll|so|css|js|woff2?|ttf)$/i;

/** Lists that our own export has for people and tools; what an import takes of them stands in its document. */
const lines = /\.(?:jsonl|ndjson)$/i;

const skipped = (reason: string, where: string): Found => ({
  parsed: { kind: 'skipped', reason, where },
  format: null,
});

/** @throws Fault VALIDATION_FAILED for a file that is damaged, or made to hurt its reader */
export async function* readFile(file: ArchiveFile): AsyncGenerator<Found, void, void> {
  if (media.test(file.name)) return yield skipped('images and other files that are no conversations', file.name);
  if (lines.test(file.name)) return yield skipped('lists of lines, which stand beside a document', file.name);
  const chunks = file.read();
  const { head, all } = await peeked(chunks);
  const kind = kindOf(head, file.name);
  if (kind === 'json') yield* readPieces(file, jsonPieces(all, readMessage), formats);
  else if (kind === 'html') yield* readPieces(file, textPieces(all), htmlFormats);
  else if (kind === 'csv') yield* readPieces(file, textPieces(all), csvFormats);
  else {
    await all.return();
    yield skipped(kind === 'empty' ? 'empty files' : 'files of no known kind', file.name);
  }
}

function readMessage(list: string, value: Dict): ReadMessage | null {
  for (const { messages } of formats) {
    const read = messages?.list === list ? messages.read(value) : null;
    if (read) return read;
  }
  return null;
}

type Kind = 'json' | 'html' | 'csv' | 'empty' | null;

function kindOf(head: Buffer, name: string): Kind {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const text = (isWide ? Buffer.from(head.filter((byte) => byte > 0 && byte < 0xfe)) : head).toString('utf8');
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start === '') return head.length === 0 ? 'empty' : null;
  if (start[0] === '[' || start[0] === '{') return 'json';
  if (/^<(?:!doctype html|html|head|body|div)\b/i.test(start)) return 'html';
  if (/\.csv$/i.test(name) || /^"?conversation"?,/i.test(start)) return 'csv';
  return null;
}

/** The first chunk, and all with it again. */
async function peeked(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head = first.done ? Buffer.alloc(0) : first.value;
  return { head, all: again(iterator, head) };
}

async function* again(iterator: AsyncIterator<Buffer>, head: Buffer): AsyncGenerator<Buffer, void, void> {
  try {
    if (head.length > 0) yield head;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

/** A text in chunks as pieces. */
async function* textPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece, void, void> {
  const decoder = new TextDecoder();
  for await (const chunk of utf8(chunks)) yield { key: null, value: decoder.decode(chunk, { stream: true }) };
}

async function* readPieces(
  file: ArchiveFile,
  pieces: AsyncIterable<Piece>,
  known: readonly Format[],
): AsyncGenerator<Found, void, void> {
  const opened = new Map<Format, FileReading>();
  let [unknown, isEmpty] = [0, true];
  for await (const piece of pieces) {
    isEmpty = false;
    if (piece.value === tooLarge) {
      yield skipped('conversations that are too large to be read', file.name);
      continue;
    }
    const format = formatOf(piece, known, opened);
    if (!format) {
      unknown++;
      continue;
    }
    const reading = opened.get(format) ?? format.open(file);
    opened.set(format, reading);
    for (const parsed of reading.read(piece)) yield { parsed, format };
  }
  for (const [format, reading] of opened) for (const parsed of reading.end?.() ?? []) yield { parsed, format };
  if (isEmpty) yield skipped('empty files', file.name);
  else if (opened.size === 0) yield skipped('files that hold no conversations', file.name);
  else if (unknown > 0 && !onlyRest(unknown, opened)) yield skipped('entries of no known format', file.name);
}

/** The other values of a file's object are nothing that is missed. */
const onlyRest = (unknown: number, opened: ReadonlyMap<Format, FileReading>) => unknown === 1 && opened.size > 0;

/** Who takes a piece; what a file's object says besides its lists is for who has read them. */
function formatOf(piece: Piece, known: readonly Format[], opened: ReadonlyMap<Format, FileReading>): Format | null {
  const found = known.find((format) => format.takes(piece));
  if (found) return found;
  const [only] = opened.keys();
  return piece.key === '$' && opened.size === 1 && only ? only : null;
}

/** The provider that most of an archive is of, and the formats that were found in it. */
export function createDetection(counts: Readonly<Record<string, number>> = {}) {
  const found = new Map(Object.entries(counts));
  return {
    note: ({ provider, name }: Pick<Format, 'provider' | 'name'>) => {
      const key = `${provider} ${name}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    },
    counts: () => Object.fromEntries(found),
    result(): { provider: ImportSourceProvider; format: string } | null {
      const [best] = [...found].sort(([, a], [, b]) => b - a);
      if (!best) return null;
      const names = [...found.keys()].map((key) => key.split(' ')[1]);
      return {
        provider: best[0].split(' ')[0] as ImportSourceProvider,
        format: [...new Set(names)].join(', ').slice(0, 200),
      };
    },
  };
}

// Reads multipart bodies: fields in memory, files into a temporary folder that is removed after the handler.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { textReader } from '../contract/coerce.ts';
import type { MultipartBody, UploadedFile } from '../contract/multipart.ts';
import { Fault } from '../kernel/fault.ts';
import type { Exchange } from './adapter.ts';
import { check } from './input.ts';

const maxFieldBytes = 1 << 20;
const maxFields = 100;
const idleMs = 30_000;

export interface ReceivedForm {
  value: { fields: unknown; files: Record<string, UploadedFile> };
  /** SHA-256 of all names and contents, to tell two forms apart. */
  digest: string;
  remove(): Promise<void>;
}

/**
 * Receives a form, with at most one file of each declared name.
 *
 * @throws Fault UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_FAILED, BAD_REQUEST; nothing is left on disk then
 */
export async function receiveForm(exchange: Exchange, form: MultipartBody): Promise<ReceivedForm> {
  const contentType = exchange.header('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType))
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'This operation takes a form with files.', {
      hint: 'Send multipart/form-data.',
    });
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-upload-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { fields, files, digest } = await read(exchange, form, contentType, folder);
    const values = textReader(form.fields)(fields);
    return { value: { fields: check(form.fields, values, 'body'), files }, digest, remove };
  } catch (error) {
    await remove();
    throw error instanceof Fault
      ? error
      : new Fault('BAD_REQUEST', 'The form cannot be read.', {
          hint: 'Check its boundary and parts, and that it was not cut off.',
          cause: error,
        });
  }
}

async function read(exchange: Exchange, form: MultipartBody, contentType: string, folder: string) {
  const fields: [string, string][] = [];
  const files: Record<string, UploadedFile> = {};
  const writes: Promise<void>[] = [];
  const hash = createHash('sha256');
  const parser = parserOf(form, contentType);
  let refusal: Fault | null = null;
  // The rest is read and thrown away: destroying the parser in one of its own events ends the process.
  const refuse = (fault: Fault) => {
    refusal ??= fault;
  };

  parser.on('field', (name, value, { valueTruncated, nameTruncated }) => {
    if (valueTruncated || nameTruncated) refuse(tooLarge(name, maxFieldBytes));
    hash.update(`${name.length}:${name}${value.length}:${value}`);
    fields.push([name, value]);
  });
  parser.on('file', (name, stream, { filename, mimeType }) => {
    if (refusal || !form.files.includes(name) || files[name]) {
      refuse(unexpected(name, form));
      // The parser ends the file that it is at with its own error, which nobody else listens for.
      stream.on('error', () => undefined).resume();
      return;
    }
    const path = join(folder, String(writes.length));
    const file = { fileName: filename || name, mediaType: mimeType, path, sizeBytes: 0 };
    files[name] = file;
    hash.update(`${name.length}:${name}`);
    stream.on('data', (chunk: Buffer) => {
      file.sizeBytes += chunk.length;
      hash.update(chunk);
    });
    stream.on('limit', () => refuse(tooLarge(name, form.maxFileBytes)));
    const written = pipeline(stream, createWriteStream(path));
    // The promise is awaited below, after the parser; a rejection before that must not count as unhandled.
    written.catch(() => undefined);
    writes.push(written);
  });
  for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(event, () =>
      refuse(new Fault('PAYLOAD_TOO_LARGE', 'The form has too many parts.', { hint: 'Send fewer.' })),
    );

  const limit = form.files.length * form.maxFileBytes + maxFields * maxFieldBytes;
  try {
    await pipeline(Readable.from(untilRefused(exchange.bodyStream(limit, idleMs), () => refusal)), parser);
    await Promise.all(writes);
  } catch (error) {
    await Promise.allSettled(writes);
    throw refusal ?? error;
  }
  if (refusal) throw refusal;
  return { fields, files, digest: hash.digest('base64url') };
}

/** Stops reading as soon as the form is refused, outside of the parser's events. */
async function* untilRefused(chunks: AsyncIterable<Buffer>, refusal: () => Fault | null): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    const fault = refusal();
    if (fault) throw fault;
  }
}

function parserOf(form: MultipartBody, contentType: string): busboy.Busboy {
  return busboy({
    headers: { 'content-type': contentType },
    defParamCharset: 'utf8',
    limits: {
      fileSize: form.maxFileBytes,
      files: form.files.length + 1,
      fields: maxFields,
      fieldSize: maxFieldBytes,
      parts: maxFields + form.files.length + 1,
    },
  });
}

const tooLarge = (name: string, limit: number) =>
  new Fault('PAYLOAD_TOO_LARGE', `${name} is above ${limit} bytes.`, { hint: 'Send less.' });
const unexpected = (name: string, form: MultipartBody) =>
  new Fault('VALIDATION_FAILED', `${name} is not a file that this operation takes.`, {
    hint: `Send one each of ${form.files.join(', ')}.`,
  });

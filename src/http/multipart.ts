// Reads multipart bodies: fields in memory, files into a temporary folder that is removed after the handler.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { MultipartBody, UploadedFile } from '../contract/multipart.ts';
import { Fault } from '../kernel/fault.ts';
import type { Exchange } from './adapter.ts';
import { check } from './input.ts';

const maxFieldBytes = 1 << 20;
const idleMs = 30_000;

export interface ReceivedForm {
  value: { fields: unknown; files: Record<string, UploadedFile> };
  remove(): Promise<void>;
}

/**
 * Receives a form.
 *
 * @throws Fault UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_FAILED, BAD_REQUEST; nothing is left on disk then
 */
export async function receiveForm(exchange: Exchange, form: MultipartBody): Promise<ReceivedForm> {
  const contentType = exchange.header('content-type') ?? '';
  if (!contentType.startsWith('multipart/form-data'))
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'This operation takes a form with files.', {
      hint: 'Send multipart/form-data.',
    });
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-upload-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { fields, files } = await read(exchange, form, contentType, folder);
    return { value: { fields: check(form.fields, fields, 'body'), files }, remove };
  } catch (error) {
    await remove();
    throw error instanceof Fault
      ? error
      : new Fault('BAD_REQUEST', 'The form cannot be read.', { hint: 'Check its boundary and parts.', cause: error });
  }
}

async function read(exchange: Exchange, form: MultipartBody, contentType: string, folder: string) {
  // Not an object yet: a field named __proto__ must be seen and refused like any other.
  const fields = new Map<string, string>();
  const files: Record<string, UploadedFile> = {};
  const writes: Promise<void>[] = [];
  const parser = busboy({
    headers: { 'content-type': contentType },
    limits: { fileSize: form.maxFileBytes, files: form.files.length, fields: 100, fieldSize: maxFieldBytes },
  });
  const refuse = (fault: Fault) => parser.destroy(fault);
  parser.on('field', (name, value) => void fields.set(name, value));
  parser.on('filesLimit', () =>
    refuse(new Fault('VALIDATION_FAILED', 'There are too many files.', { hint: `Send ${form.files.join(', ')}.` })),
  );
  parser.on('file', (name, stream, { filename, mimeType }) => {
    if (!form.files.includes(name)) {
      stream.resume();
      refuse(
        new Fault('VALIDATION_FAILED', `${name} is not a known file.`, { hint: `Send ${form.files.join(', ')}.` }),
      );
      return;
    }
    const path = join(folder, String(writes.length));
    stream.on('limit', () =>
      refuse(
        new Fault('PAYLOAD_TOO_LARGE', `${name} is above ${form.maxFileBytes} bytes.`, {
          hint: 'Send a smaller file.',
        }),
      ),
    );
    const target = createWriteStream(path);
    writes.push(
      pipeline(stream, target).then(() => {
        files[name] = { fileName: filename ?? name, mediaType: mimeType, path, sizeBytes: target.bytesWritten };
      }),
    );
  });
  const limit = form.files.length * form.maxFileBytes + 100 * maxFieldBytes;
  await pipeline(Readable.from(exchange.bodyStream(limit, idleMs)), parser);
  await Promise.all(writes);
  return { fields: Object.fromEntries(fields), files };
}

// Messages as JSON: images and files are bytes or addresses, which JSON has no words for.
import type { ModelMessage } from '../../../runtime/model.ts';

interface Media {
  type: 'image' | 'file';
  data: unknown;
}

export const packMessages = (messages: ModelMessage[]): string =>
  JSON.stringify(messages, (_, value: unknown) => (isMedia(value) ? { ...value, data: packed(value.data) } : value));

export const unpackMessages = (json: string): ModelMessage[] =>
  JSON.parse(json, (_, value: unknown) => (isMedia(value) ? { ...value, data: unpacked(value.data) } : value));

const packed = (data: unknown) =>
  data instanceof URL ? { url: data.href } : { base64: Buffer.from(data as Uint8Array).toString('base64') };

function unpacked(data: unknown): Uint8Array | URL {
  const { url, base64 } = data as { url?: string; base64?: string };
  return url === undefined ? Buffer.from(base64 ?? '', 'base64') : new URL(url);
}

const isMedia = (value: unknown): value is Media =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  (value.type === 'image' || value.type === 'file') &&
  'mediaType' in value;

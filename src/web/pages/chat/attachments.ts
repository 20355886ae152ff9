// Files as they go with a message: text as text, all else as base64.
import type { ChatAttachmentInput } from '../../../client/index.ts';

export interface Attached {
  input: ChatAttachmentInput;
  size: number;
}

/** Larger files do not go with a message: base64 makes a third more of them, and a request takes a mebibyte. */
export const maxAttachmentBytes = 700_000;

const textual = /^text\/|json|xml|yaml|javascript|typescript/;

export async function attach(file: File): Promise<Attached> {
  const base = { name: file.name, mimeType: file.type || 'text/plain' };
  if (!file.type || textual.test(file.type))
    return { size: file.size, input: { kind: 'Text', ...base, text: await file.text() } };
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const kind = file.type.startsWith('image/') ? 'Image' : 'File';
  return { size: file.size, input: { kind, ...base, base64: btoa(binary) } };
}

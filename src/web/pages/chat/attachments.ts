// Files as they go with a message: text as text, all else as base64.
import type { ChatAttachmentInput } from '../../../client/index.ts';

export interface Attached {
  input: ChatAttachmentInput;
  size: number;
}

/** A message may take 24 MiB, of which base64 makes a third more than the file. */
export const maxAttachmentBytes = 10_000_000;
/** Longer texts go as files. */
const maxTextBytes = 1_500_000;

const textual = /^text\/|json|xml|yaml|javascript|typescript/;

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    // A data URL: what follows its comma is the file.
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.readAsDataURL(file);
  });
}

export async function attach(file: File): Promise<Attached> {
  const { name, size, type } = file;
  const base = { name, mimeType: type || 'text/plain' };
  if (size <= maxTextBytes && (!type || textual.test(type)))
    return { size, input: { kind: 'Text', ...base, text: await file.text() } };
  const kind = type.startsWith('image/') ? 'Image' : 'File';
  return { size, input: { kind, ...base, base64: await base64Of(file) } };
}

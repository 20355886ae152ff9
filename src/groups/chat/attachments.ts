// Attachments of a message: checked for what a model can be given, and given back as files.
import type { ChatAttachment } from '../../../runtime/chat/records.ts';
import type { FileReply } from '../../contract/replies.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ChatAttachmentInput } from './dto.ts';

const textual = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|sql)\b|.*\+(json|xml)$)/;
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

/** @throws Fault VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE, NOT_CONFIGURED */
export function toAttachments(inputs: readonly ChatAttachmentInput[]): ChatAttachment[] {
  return inputs.map((input) => {
    const attachment = withNulls(input);
    const image = attachment.kind === 'Image' || attachment.mimeType?.startsWith('image/');
    return image ? checkedImage(attachment) : checkedText(attachment);
  });
}

const withNulls = ({
  kind,
  name,
  mimeType,
  text,
  base64,
  url,
  memoryId,
  docId,
}: ChatAttachmentInput): ChatAttachment => ({
  kind,
  name: name ?? null,
  mimeType: mimeType ?? null,
  text: text ?? null,
  base64: base64 ?? null,
  url: url ?? null,
  memoryId: memoryId ?? null,
  docId: docId ?? null,
});

function checkedImage(attachment: ChatAttachment): ChatAttachment {
  const { base64, url } = attachment;
  if (base64 === null && !isWebUrl(url)) throw invalid('An image needs base64 or an http(s) url.');
  if (base64 !== null && !base64Form.test(base64)) throw invalid('The image is not base64.');
  return { ...attachment, kind: 'Image', mimeType: attachment.mimeType ?? 'image/png' };
}

function checkedText(attachment: ChatAttachment): ChatAttachment {
  const { kind, mimeType, text, base64, url } = attachment;
  if (kind === 'Memory' || kind === 'Doc')
    throw new Fault('NOT_CONFIGURED', `Attachments of kind ${kind} cannot be read here.`, {
      hint: 'Send what they say as text.',
    });
  if (kind === 'Url' && !isWebUrl(url)) throw invalid('A url must be an http(s) address.');
  if (kind !== 'Url' && text === null && base64 === null) throw invalid('An attachment needs text or base64.');
  if (base64 === null) return attachment;
  if (!base64Form.test(base64)) throw invalid('The attachment is not base64.');
  if (textual.test(mimeType ?? '')) return attachment;
  throw new Fault('UNSUPPORTED_MEDIA_TYPE', `Models are not given files of type ${mimeType ?? 'unknown'}.`, {
    hint: 'Send images, text files, or the text itself.',
  });
}

/** The sender names the media type; only a valid one goes into a header. */
const mediaTypeForm = /^[\w.+-]+\/[\w.+-]+$/;

/** Its content under the name and type that it came with; null where only an address or an id came. */
export function toFile({ name, mimeType, text, base64 }: ChatAttachment): FileReply | null {
  if (text === null && base64 === null) return null;
  const known = mimeType !== null && mediaTypeForm.test(mimeType) ? mimeType : null;
  const fileName = name || 'attachment';
  if (text !== null)
    return { kind: 'file', mediaType: `${known ?? 'text/plain'}; charset=utf-8`, fileName, body: text };
  const body = Buffer.from(base64 ?? '', 'base64');
  return { kind: 'file', mediaType: known ?? 'application/octet-stream', fileName, body };
}

function isWebUrl(url: string | null): boolean {
  return url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

const invalid = (message: string) =>
  new Fault('VALIDATION_FAILED', message, { hint: 'See ChatAttachmentInput at /docs.' });

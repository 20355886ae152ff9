// Reads what is asked out of a kit's whole conversation: the kits send all of it each time, and we have it already.
import { createHash } from 'node:crypto';
import type { ReplyRequest } from '../../../runtime/chat/chat.ts';
import { Fault } from '../../kernel/fault.ts';
import { toAttachments } from '../chat/attachments.ts';
import type { ChatAttachmentInput } from '../chat/dto.ts';
import type { AgUiBody, UiBody } from './contract.ts';

/** What a request means for its session, whoever's form it came in. */
export type Question = Pick<ReplyRequest, 'message' | 'attachments' | 'parentMessageId' | 'idempotencyKey'> & {
  /** A reply that is to be made again; kits that mean the newest one do not name it. */
  regenerateMessageId?: number | 'newest';
};

/** @throws Fault VALIDATION_FAILED where nothing is asked */
export function readUi({ messages, trigger, messageId }: UiBody): Question {
  if (trigger === 'regenerate-message') {
    const id = ourId(messageId ?? null);
    return { message: null, regenerateMessageId: id ?? 'newest' };
  }
  const last = messages.at(-1);
  if (last?.role !== 'user') throw nothingAsked();
  const text = last.parts.map((part) => (part.type === 'text' ? String(part.text ?? '') : '')).join('');
  const files = last.parts.filter(({ type }) => type === 'file').map(toInput);
  return asked(last.id, text, files, messages.at(-2)?.id ?? null);
}

/** @throws Fault VALIDATION_FAILED where nothing is asked */
export function readAgUi({ messages }: AgUiBody): Question {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[at];
  if (!last) throw nothingAsked();
  const parts = Array.isArray(last.content) ? (last.content as { type?: unknown; text?: unknown }[]) : [];
  const text = typeof last.content === 'string' ? last.content : parts.map((part) => String(part.text ?? '')).join('');
  return asked(last.id, text, [], messages[at - 1]?.id ?? null);
}

function asked(id: string, text: string, files: ChatAttachmentInput[], before: string | null): Question {
  if (text === '' && files.length === 0) throw nothingAsked();
  // The same message again, e.g. by a client that lost its connection, is the same reply; an edited one is not.
  const idempotencyKey = `ui:${createHash('sha256').update(`${id}\n${text}`).digest('base64url')}`;
  const parent = ourId(before);
  return {
    message: text || 'See what is attached.',
    attachments: toAttachments(files),
    idempotencyKey,
    ...(before === null ? { parentMessageId: null } : parent !== null && { parentMessageId: parent }),
  };
}

/** Ids of our messages are numbers; those that kits make up are not. */
const ourId = (id: string | null): number | null => (id !== null && /^\d{1,15}$/.test(id) ? Number(id) : null);

const dataUrl = /^data:([^;,]+)(?:;[^;,]+)*;base64,(.*)$/s;

function toInput(part: Record<string, unknown>): ChatAttachmentInput {
  const url = typeof part.url === 'string' ? part.url : '';
  const [, mimeType, base64] = dataUrl.exec(url) ?? [];
  const mediaType = mimeType ?? (typeof part.mediaType === 'string' ? part.mediaType : 'application/octet-stream');
  return {
    kind: mediaType.startsWith('image/') ? 'Image' : 'File',
    mimeType: mediaType,
    ...(typeof part.filename === 'string' && { name: part.filename }),
    ...(base64 === undefined ? { url } : { base64 }),
  };
}

const nothingAsked = () =>
  new Fault('VALIDATION_FAILED', 'The last message is not one of the user, or says nothing.', {
    hint: 'Send the conversation with what the user says last.',
  });

// The request of a front-end kit, whichever kit's format it came in.
import { createHash } from 'node:crypto';
import type { ReplyRequest } from '../../../runtime/chat/chat.ts';
import type { ClientResult } from '../../../runtime/chat/ports.ts';
import type { ModelTool } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';
import { toAttachments } from '../chat/attachments.ts';
import type { ChatAttachmentInput } from '../chat/dto.ts';
import type { MessageDraft } from '../chat/messages.ts';

/** A message to answer, or a reply to regenerate: `newest` where the kit names none. */
export type Question = Pick<ReplyRequest, 'message' | 'attachments' | 'parentMessageId' | 'idempotencyKey'> & {
  regenerateMessageId?: number | 'newest';
};

/** Approvals and tool results that a paused reply has waited for. */
export interface Answers {
  approvals: { escalationId: number; approved: boolean; reason: string | null }[];
  results: ClientResult[];
}

export interface Asked {
  /** One of these two. */
  question: Question | null;
  answers: Answers | null;
  /** Earlier messages, for a chat that has no session yet. */
  history: MessageDraft[];
  /** Instructions, context and state of the front end. */
  system: string | null;
  tools: ModelTool[];
}

/** @throws Fault VALIDATION_FAILED where nothing is asked, UNSUPPORTED_MEDIA_TYPE for files that no model reads */
export function questionOf(
  { id, text, files }: { id: string; text: string; files: ChatAttachmentInput[] },
  before: string | null,
): Question {
  if (text === '' && files.length === 0) throw nothingAsked();
  // The same message again, e.g. by a client that lost its connection, is the same reply; an edited one is not.
  const said = [id, text, ...(files.length > 0 ? [JSON.stringify(files)] : [])].join('\n');
  const idempotencyKey = `ui:${createHash('sha256').update(said).digest('base64url')}`;
  const parent = ourId(before);
  return {
    message: text || 'See what is attached.',
    attachments: toAttachments(files),
    idempotencyKey,
    ...(before === null ? { parentMessageId: null } : parent !== null && { parentMessageId: parent }),
  };
}

/** Ids of our messages are numbers; those that kits make up are not. */
export const ourId = (id: string | null | undefined): number | null =>
  id != null && /^\d{1,15}$/.test(id) ? Number(id) : null;

const dataUrl = /^data:([^;,]+)(?:;[^;,]+)*;base64,(.*)$/s;

/** A file by its address, which may hold the bytes themselves. */
export function fileOf(file: {
  url: string;
  mediaType?: string | undefined;
  name?: string | undefined;
}): ChatAttachmentInput {
  const [, mimeType, base64] = dataUrl.exec(file.url) ?? [];
  const mediaType = mimeType ?? file.mediaType ?? 'application/octet-stream';
  return {
    kind: mediaType.startsWith('image/') ? 'Image' : 'File',
    mimeType: mediaType,
    ...(file.name !== undefined && { name: file.name }),
    ...(base64 === undefined ? { url: file.url } : { base64 }),
  };
}

interface GivenTool {
  name: string;
  description?: string | null | undefined;
  parameters?: Record<string, unknown> | null | undefined;
  inputSchema?: Record<string, unknown> | null | undefined;
}

export const toolOf = ({ name, description, parameters, inputSchema }: GivenTool): ModelTool => ({
  name,
  description: description ?? '',
  inputSchema: inputSchema ?? parameters ?? { type: 'object', properties: {} },
});

/** Texts under each other; null where there are none. */
export const joined = (texts: readonly (string | null | undefined)[]): string | null =>
  texts.filter(Boolean).join('\n\n') || null;

/** A text as the JSON that is kept of a tool's result. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

export const nothingAsked = () =>
  new Fault('VALIDATION_FAILED', 'The last message is not one of the user, or says nothing.', {
    hint: 'Send the conversation with what the user says last, or with what the reply waits for.',
  });

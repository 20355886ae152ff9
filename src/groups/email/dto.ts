// Mails as they are answered: what is in them comes from others.
import { z } from 'zod';
import { boolean, dateTime, dto, int32, int64, string } from '../../contract/types.ts';

export const EmailFolderDto = dto('EmailFolderDto', {
  path: string,
  name: string,
  delimiter: string.nullable(),
  /** `\Sent`, `\Trash` and the like. */
  specialUse: string.nullable(),
  messageCount: int32,
  unreadCount: int32,
});

const summary = {
  uid: string,
  folder: string,
  subject: string.nullable(),
  fromName: string.nullable(),
  fromAddress: string,
  to: z.array(string),
  receivedAtUtc: dateTime,
  isRead: boolean,
  hasAttachments: boolean,
  sizeBytes: int64,
  /** The beginning of the text; null in lists, which read no texts. */
  snippet: string.nullable(),
};
export const EmailMessageSummaryDto = dto('EmailMessageSummaryDto', summary);
export type EmailMessageSummaryDto = z.output<typeof EmailMessageSummaryDto>;

export const EmailAttachmentDto = dto('EmailAttachmentDto', {
  partId: string,
  fileName: string.nullable(),
  contentType: string,
  sizeBytes: int64,
  isInline: boolean,
});

export const EmailMessageDto = dto('EmailMessageDto', {
  ...summary,
  messageId: string.nullable(),
  inReplyTo: string.nullable(),
  cc: z.array(string),
  replyTo: z.array(string),
  textBody: string.nullable(),
  /** Made safe: no scripts, no styles, and nothing that is loaded from elsewhere. */
  htmlBody: string.nullable(),
  headers: z.record(string, string),
  attachments: z.array(EmailAttachmentDto),
});
export type EmailMessageDto = z.output<typeof EmailMessageDto>;

/** Ours: a mail that a server has taken. */
export const EmailSentDto = dto('EmailSentDto', { messageId: string, to: z.array(string) });

export const EmailTestResultDto = dto('EmailTestResultDto', {
  imapOk: boolean,
  smtpOk: boolean,
  imapError: string.nullable(),
  smtpError: string.nullable(),
  folderCount: int32,
  latencyMs: int32,
  testMessageId: string.nullable(),
});
export type EmailTestResultDto = z.output<typeof EmailTestResultDto>;

// Mail of connectors: folders, messages, and whether both servers answer.
import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, string } from '../../contract/types.ts';
import { EmailFolderDto, EmailMessageDto, EmailMessageSummaryDto, EmailSentDto, EmailTestResultDto } from './dto.ts';

const needs = 'EmailRead';
const folder = string.min(1).max(500);
const addresses = z.array(z.email().max(320)).max(50);
const oneLine = string.max(500).regex(/^[^\r\n]*$/);

export const email = group(
  'Email',
  { base: '/api/email', doc: 'Mail that connectors of the type Email open.' },
  {
    folders: op.get('/{connectorId}/folders', {
      doc: 'List the folders of a mail account; includeCounts asks for their numbers of messages.',
      needs,
      query: fields({ includeCounts: boolean.optional() }),
      data: z.array(EmailFolderDto),
    }),
    inbox: op.get('/{connectorId}/inbox', {
      doc: 'List messages of a folder, INBOX unless named, the newest first.',
      needs,
      query: listQuery(['receivedAtUtc'], {
        folder: folder.optional(),
        unreadOnly: boolean.optional(),
        sinceUtc: dateTime.optional(),
        q: string.max(200).optional(),
      }),
      data: page(EmailMessageSummaryDto),
    }),
    message: op.get('/{connectorId}/message/{uid}', {
      doc: 'Get a message with its texts and a list of its attachments; markRead marks it as read.',
      needs,
      query: fields({ folder: folder.optional(), markRead: boolean.optional() }),
      data: EmailMessageDto,
    }),
    attachment: op.get('/{connectorId}/message/{uid}/attachment', {
      doc: 'Download an attachment of up to 20 MiB, by the partId that the message names as part (ours). It is never shown in place.',
      needs,
      query: fields({ part: string.min(1).max(100), folder: folder.optional() }),
      data: z.unknown(),
      reply: 'file',
      mediaType: 'application/octet-stream',
      timeoutMs: 60_000,
    }),
    send: op.post('/{connectorId}/send', {
      doc: 'Send a mail as plain text (ours). With an Idempotency-Key its Message-ID is the same however often it is sent.',
      needs: 'ConnectorsWrite',
      body: fields({
        to: addresses.min(1),
        cc: addresses.nullish(),
        subject: oneLine.trim().min(1),
        text: string.min(1).max(100_000),
        inReplyTo: oneLine.nullish(),
      }),
      data: EmailSentDto,
      timeoutMs: 60_000,
    }),
    test: op.post('/{connectorId}/test', {
      doc: 'Sign in to both servers and say what is wrong; with sendTo a test mail is sent there.',
      needs: 'ConnectorsWrite',
      body: fields({ sendTo: z.email().max(320).nullish() }),
      data: EmailTestResultDto,
      timeoutMs: 90_000,
    }),
  },
);

// Serves the mail of connectors.
import { createHash } from 'node:crypto';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { createMailbox, type Mailbox, type MailSummary } from '../../outside/mail/imap.ts';
import { mailSettings } from '../../outside/mail/settings.ts';
import { createSender, type Sender } from '../../outside/mail/smtp.ts';
import type { Outside } from '../../outside/outside.ts';
import type { By } from '../../ports/keeper.ts';
import type { ConnectorBook } from '../connectors/book.ts';
import { email } from './contract.ts';

export interface MailDeps {
  book: ConnectorBook;
  outside: Outside;
  clock: Clock;
}

/** The mail account of a connector. @throws Fault NOT_FOUND, NOT_CONFIGURED, CONFLICT where it is switched off */
export async function mailOf(
  { book, outside, clock }: MailDeps,
  by: By,
  id: number,
): Promise<{ mailbox: Mailbox; sender: Sender }> {
  const doc = await book.connectors.get(by, id);
  if (doc.type !== 'Email')
    throw new Fault('NOT_CONFIGURED', `Connector ${id} is of the type ${doc.type}, not Email.`, {
      hint: 'List mail connectors with GET /api/connectors?type=Email.',
    });
  if (!doc.enabled)
    throw new Fault('NOT_CONFIGURED', `Connector ${id} is switched off.`, {
      hint: 'Switch it on with PATCH /api/connectors/{id}.',
    });
  const settings = mailSettings(book.open(doc).credentials);
  const { door } = outside;
  const { tenantId } = by;
  return {
    mailbox: createMailbox({ door, clock, tenantId, settings }),
    sender: createSender(door, tenantId, settings),
  };
}

const shown = <Mail extends MailSummary>({ receivedAt, ...mail }: Mail) => ({
  ...mail,
  receivedAtUtc: receivedAt.toISOString(),
});

/** @throws Fault NOT_FOUND for what no message is named */
const uidOf = (text: string): number => {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new Fault('NOT_FOUND', 'This is the uid of no message.', {
    hint: 'List messages with GET /api/email/{connectorId}/inbox.',
  });
};

export const emailService = implement(email, (deps: MailDeps) => ({
  folders: async ({ caller, params, query }) =>
    (await mailOf(deps, caller, params.connectorId)).mailbox.folders(query.includeCounts ?? false),
  inbox: async ({ caller, params, query }) => {
    const { folder = 'INBOX', unreadOnly = false, sinceUtc, q, page, pageSize } = query;
    const { mailbox } = await mailOf(deps, caller, params.connectorId);
    const since = sinceUtc === undefined ? null : new Date(sinceUtc);
    const isOldestFirst = query.sort === 'receivedAtUtc';
    if (isOldestFirst)
      throw new Fault('VALIDATION_FAILED', 'Messages are listed with the newest first.', {
        field: 'sort',
        hint: 'Leave sort out, or send -receivedAtUtc.',
      });
    const skip = (page - 1) * pageSize;
    const wanted = { folder, unreadOnly, since, text: q || null, skip, take: pageSize };
    const { items, total } = await mailbox.list(wanted);
    return toPage(items.map(shown), total, query);
  },
  message: async ({ caller, params, query }) => {
    const { mailbox } = await mailOf(deps, caller, params.connectorId);
    const uid = uidOf(params.uid);
    return shown(await mailbox.read(query.folder ?? 'INBOX', uid, query.markRead ?? false));
  },
  attachment: async ({ caller, params, query }) => {
    const { mailbox } = await mailOf(deps, caller, params.connectorId);
    const { fileName, bytes } = await mailbox.attachment(query.folder ?? 'INBOX', uidOf(params.uid), query.part);
    // Whatever it says that it is: a page of a stranger is not shown as one of ours.
    return {
      kind: 'file' as const,
      mediaType: 'application/octet-stream',
      fileName: fileName ?? 'attachment',
      body: bytes,
    };
  },
  send: async ({ caller, params, body, request }) => {
    const { to, subject, text } = body;
    const { sender } = await mailOf(deps, caller, params.connectorId);
    const key = request.header('idempotency-key') ?? null;
    const named = key === null ? {} : { messageId: messageIdOf(`${caller.tenantId}/${params.connectorId}/${key}`) };
    const cc = body.cc ?? [];
    const messageId = await sender.send({ to, cc, subject, text, inReplyTo: body.inReplyTo || null, ...named });
    return { messageId, to: [...to, ...cc] };
  },
  test: async ({ caller, params, body }) => {
    const { mailbox, sender } = await mailOf(deps, caller, params.connectorId);
    const start = deps.clock.steady();
    const wrong = (error: unknown) => {
      const { message, hint } = toFault(error);
      return `${message} ${hint ?? ''}`.trim();
    };
    const folders = await mailbox.folders(false).catch(wrong);
    const send = async () => {
      await sender.verify();
      return body.sendTo == null ? null : { id: await sender.send(testMail(body.sendTo)) };
    };
    const sent = await send().catch(wrong);
    return {
      ...{ imapOk: typeof folders !== 'string', imapError: typeof folders === 'string' ? folders : null },
      ...{ smtpOk: typeof sent !== 'string', smtpError: typeof sent === 'string' ? sent : null },
      folderCount: typeof folders === 'string' ? 0 : folders.length,
      latencyMs: Math.round(deps.clock.steady() - start),
      testMessageId: sent === null || typeof sent === 'string' ? null : sent.id,
    };
  },
}));

/** The same for the same work. */
export const messageIdOf = (work: string): string =>
  `<${createHash('sha256').update(work).digest('hex').slice(0, 32)}@rivulet>`;

const testMail = (to: string) => ({
  ...{ to: [to], cc: [], inReplyTo: null },
  ...{ subject: 'Test of a mail connector', text: 'Rivulet can send mail by this connector.' },
});

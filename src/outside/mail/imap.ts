// Mailboxes over IMAP, by imapflow: each piece of work has a connection of its own, with limits of time and size.
import type { ImapFlow, MessageStructureObject } from 'imapflow';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Door } from '../door.ts';
import { safeHtml, textOfHtml } from './safe-html.ts';
import type { MailSettings } from './settings.ts';

export interface Folder {
  path: string;
  name: string;
  delimiter: string | null;
  specialUse: string | null;
  messageCount: number;
  unreadCount: number;
}

export interface MailSummary {
  uid: string;
  folder: string;
  subject: string | null;
  fromName: string | null;
  fromAddress: string;
  to: string[];
  receivedAt: Date;
  isRead: boolean;
  hasAttachments: boolean;
  sizeBytes: number;
  snippet: string | null;
}

export interface Attachment {
  partId: string;
  fileName: string | null;
  contentType: string;
  sizeBytes: number;
  isInline: boolean;
}

export interface MailMessage extends MailSummary {
  messageId: string | null;
  inReplyTo: string | null;
  cc: string[];
  replyTo: string[];
  textBody: string | null;
  htmlBody: string | null;
  headers: Record<string, string>;
  attachments: Attachment[];
}

export interface Wanted {
  folder: string;
  unreadOnly: boolean;
  since: Date | null;
  text: string | null;
  skip: number;
  take: number;
}

export interface Mailbox {
  /** @throws Fault CONNECTOR_ERROR, CONNECTOR_TIMEOUT, NOT_CONFIGURED, as all of these */
  folders(counts: boolean): Promise<Folder[]>;
  /** The newest first. @throws Fault NOT_FOUND for a folder that is not there */
  list(wanted: Wanted): Promise<{ items: MailSummary[]; total: number }>;
  /** @throws Fault NOT_FOUND */
  read(folder: string, uid: number, markRead: boolean): Promise<MailMessage>;
  /** @throws Fault NOT_FOUND, PAYLOAD_TOO_LARGE */
  attachment(folder: string, uid: number, part: string): Promise<{ fileName: string | null; bytes: Buffer }>;
}

/** Milliseconds for one piece of work, connecting included. */
const workMs = 25_000;
/** Bytes of each text of a mail that are read, and characters of what is made of them. */
const mostBody = 512 * 1024;
const mostAttachment = 20 << 20;
const mostParts = 500;
const mostHeaders = 256 * 1024;
const mostFolders = 500;
/** Bytes of one line, one text and one answer of the server, beyond which its connection is cut; a line may list a mailbox. */
const [mostLine, mostLiteral, mostAnswer] = [16 << 20, 32 << 20, 48 << 20];

export interface MailboxDeps {
  door: Pick<Door, 'addressOf'>;
  clock: Clock;
  tenantId: number;
  settings: MailSettings;
}

export function createMailbox(deps: MailboxDeps): Mailbox {
  return {
    folders: (counts) => connected(deps, (client) => foldersOf(client, counts)),
    list: (wanted) => inFolder(deps, wanted.folder, (client) => page(client, wanted)),
    attachment: (folder, uid, part) => inFolder(deps, folder, (client) => attachment(client, uid, part)),
    read: (folder, uid, markRead) => inFolder(deps, folder, (client) => message(client, folder, uid, markRead)),
  };
}

async function connected<T>(deps: MailboxDeps, work: (client: ImapFlow) => Promise<T>): Promise<T> {
  const { door, clock, tenantId, settings } = deps;
  if (!settings.imap)
    throw new Fault('NOT_CONFIGURED', 'This connector has no IMAP server.', {
      hint: 'Give imapHost in its credentials.',
    });
  const { host, port, security } = settings.imap;
  const address = await door.addressOf(tenantId, host, port);
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    ...{ host: address, port, servername: host, secure: security === 'tls', doSTARTTLS: security === 'starttls' },
    auth: { user: settings.username, pass: settings.password },
    ...{ logger: false, disableAutoIdle: true },
    ...{ connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 },
    ...{ maxLineLength: mostLine, maxLiteralSize: mostLiteral, maxResponseSize: mostAnswer },
  });
  let cause: unknown = null;
  client.on('error', (error: unknown) => {
    cause ??= error;
  });
  const cancel = clock.after(workMs, () => {
    cause = new Fault('CONNECTOR_TIMEOUT', `${host} did not answer in ${workMs / 1000} s.`, {
      hint: 'Try again later.',
    });
    client.close();
  });
  try {
    await client.connect();
    const done = await work(client);
    await client.logout().catch(() => undefined);
    return done;
  } catch (error) {
    throw error instanceof Fault ? error : cause instanceof Fault ? cause : failed(host, error);
  } finally {
    cancel();
    client.close();
  }
}

const inFolder = <T>(deps: MailboxDeps, folder: string, work: (client: ImapFlow) => Promise<T>): Promise<T> =>
  connected(deps, async (client) => {
    try {
      await client.mailboxOpen(folder);
    } catch (error) {
      if ((error as { mailboxMissing?: boolean }).mailboxMissing)
        throw new Fault('NOT_FOUND', `There is no folder "${folder.slice(0, 100)}".`, {
          hint: 'List folders with GET /api/email/{connectorId}/folders.',
        });
      throw error;
    }
    return work(client);
  });

async function foldersOf(client: ImapFlow, counts: boolean): Promise<Folder[]> {
  const query = { messages: true, unseen: true };
  const listed = await client.list(counts ? { statusQuery: query } : {});
  return listed.slice(0, mostFolders).map(({ path, name, delimiter, specialUse, status }) => ({
    ...{ path, name, delimiter: delimiter || null, specialUse: specialUse ?? null },
    ...{ messageCount: status?.messages ?? 0, unreadCount: status?.unseen ?? 0 },
  }));
}

async function page(client: ImapFlow, { folder, unreadOnly, since, text, skip, take }: Wanted) {
  const query = { ...(unreadOnly && { seen: false }), ...(since && { since }), ...(text && { text }) };
  const found = (await client.search(Object.keys(query).length > 0 ? query : { all: true }, { uid: true })) || [];
  const uids = found.toSorted((a, b) => b - a);
  const chosen = uids.slice(skip, skip + take);
  const items: MailSummary[] = [];
  if (chosen.length > 0) {
    const fields = { uid: true, envelope: true, flags: true, size: true, internalDate: true, bodyStructure: true };
    // A server may tell of mails that nobody asked for.
    for await (const one of client.fetch(chosen.join(','), fields, { uid: true }))
      if (items.length < chosen.length) items.push(summary(one, folder));
  }
  return { items: items.toSorted((a, b) => Number(b.uid) - Number(a.uid)), total: uids.length };
}

type Fetched = Exclude<Awaited<ReturnType<ImapFlow['fetchOne']>>, false>;

function summary({ uid, envelope, flags, size, internalDate, bodyStructure }: Fetched, folder: string): MailSummary {
  const [from] = envelope?.from ?? [];
  return {
    ...{ uid: String(uid), folder, subject: short(envelope?.subject) },
    ...{ fromName: short(from?.name), fromAddress: short(from?.address) ?? '', to: addresses(envelope?.to) },
    receivedAt: dateOf(internalDate) ?? dateOf(envelope?.date) ?? new Date(0),
    ...{ isRead: flags?.has('\\Seen') ?? false, hasAttachments: attachmentsIn(bodyStructure).length > 0 },
    ...{ sizeBytes: size ?? 0, snippet: null },
  };
}

async function message(client: ImapFlow, folder: string, uid: number, markRead: boolean): Promise<MailMessage> {
  const fields = { uid: true, envelope: true, flags: true, size: true, internalDate: true, bodyStructure: true };
  const found = await client.fetchOne(String(uid), fields, { uid: true });
  if (!found)
    throw new Fault('NOT_FOUND', `There is no message ${uid} in ${folder}.`, {
      hint: 'List messages with GET /api/email/{connectorId}/inbox.',
    });
  const parts = leaves(found.bodyStructure);
  const textOf = async (type: string) => {
    const part = parts.find((one) => one.type === type && one.disposition !== 'attachment');
    return part ? download(client, uid, part.part ?? '1', mostBody) : null;
  };
  const [plain, html] = [await textOf('text/plain'), await textOf('text/html')];
  const headers = await headersOf(client, found, parts);
  if (markRead) await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
  const text = plain ?? (html === null ? null : textOfHtml(html, mostBody));
  const { envelope } = found;
  return {
    ...summary(found, folder),
    ...(markRead && { isRead: true }),
    snippet: text === null ? null : text.replace(/\s+/g, ' ').trim().slice(0, 200),
    ...{ messageId: short(envelope?.messageId), inReplyTo: short(envelope?.inReplyTo) },
    ...{ cc: addresses(envelope?.cc), replyTo: addresses(envelope?.replyTo) },
    ...{ textBody: text, htmlBody: html === null ? null : safeHtml(html, mostBody), headers },
    attachments: attachmentsIn(found.bodyStructure),
  };
}

async function attachment(client: ImapFlow, uid: number, part: string) {
  const found = await client.fetchOne(String(uid), { uid: true, bodyStructure: true }, { uid: true });
  const one = found === false ? undefined : attachmentsIn(found.bodyStructure).find(({ partId }) => partId === part);
  const bytes = one && (await bytesOf(client, uid, part, mostAttachment + 1));
  if (!bytes)
    throw new Fault('NOT_FOUND', `There is no attachment ${part.slice(0, 50)} of message ${uid}.`, {
      hint: 'Its attachments stand in GET /api/email/{connectorId}/message/{uid}.',
    });
  if (bytes.length > mostAttachment)
    throw new Fault('PAYLOAD_TOO_LARGE', `The attachment is larger than ${mostAttachment >> 20} MiB.`, {
      hint: 'Open the mail with a mail program.',
    });
  return { fileName: one.fileName, bytes };
}

/** A part as text; its beginning where it is longer. Null where the server does not have it. */
async function download(client: ImapFlow, uid: number, part: string, maxBytes: number): Promise<string | null> {
  return (await bytesOf(client, uid, part, maxBytes))?.toString('utf8').replaceAll('\0', '') ?? null;
}

async function bytesOf(client: ImapFlow, uid: number, part: string, maxBytes: number): Promise<Buffer | null> {
  const { content } = await client.download(String(uid), part, { uid: true, maxBytes });
  if (!content) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Parts that hold no other, without recursion: a hostile mail nests thousands. */
function leaves(root: MessageStructureObject | undefined): MessageStructureObject[] {
  const found: MessageStructureObject[] = [];
  const waiting = root ? [root] : [];
  for (let seen = 0; waiting.length > 0 && seen < mostParts; seen++) {
    const one = waiting.shift() as MessageStructureObject;
    // A mail within a mail is an attachment, as a whole.
    if (one.childNodes && one.type !== 'message/rfc822') waiting.push(...one.childNodes.slice(0, mostParts));
    else found.push(one);
  }
  return found;
}

const attachmentsIn = (root: MessageStructureObject | undefined): Attachment[] =>
  leaves(root)
    .filter(({ type, disposition }) => disposition === 'attachment' || !/^text\/(plain|html)$/.test(type))
    .map(({ part, type, size, disposition, dispositionParameters, parameters }) => ({
      ...{ partId: part ?? '1', fileName: short(dispositionParameters?.filename ?? parameters?.name) },
      ...{ contentType: type, sizeBytes: size ?? 0, isInline: disposition === 'inline' },
    }));

/** Header fields; none where what is no part of the mail's body is too large to be read. */
async function headersOf(
  client: ImapFlow,
  { uid, size = 0 }: Fetched,
  parts: readonly MessageStructureObject[],
): Promise<Record<string, string>> {
  const body = parts.reduce((sum, part) => sum + (part.size ?? 0), 0);
  if (size - body > mostHeaders) return {};
  const found = await client.fetchOne(String(uid), { headers: true }, { uid: true });
  return found === false ? {} : headersIn(found.headers?.toString('utf8') ?? '');
}

/** Header fields by lower-case name, folded lines joined; the first of each. */
function headersIn(text: string): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([!-9;-~]{1,100}):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined && !headers.has(name.toLowerCase()))
      headers.set(name.toLowerCase(), (value ?? '').slice(0, 2000));
  }
  return Object.fromEntries(headers);
}

const short = (text: string | null | undefined): string | null => text?.replaceAll('\0', '').slice(0, 1000) || null;
const addresses = (list: { address?: string | undefined }[] | undefined): string[] =>
  (list ?? []).slice(0, 200).flatMap(({ address }) => short(address) ?? []);

function dateOf(value: Date | string | undefined): Date | null {
  const date = value === undefined ? null : new Date(value);
  return date && !Number.isNaN(date.getTime()) ? date : null;
}

/** What a mail server's failure means for people; never the password, nor what the server was sent. */
export function failed(host: string, error: unknown): Fault {
  const { authenticationFailed, code, responseText, response, message } = error as Record<string, unknown>;
  const said = (words: unknown) => {
    const text =
      typeof words === 'string'
        ? words
            .replace(/\s+/g, ' ')
            .slice(0, 200)
            .replace(/[. ]+$/, '')
        : '';
    return text && `: ${text}`;
  };
  if (authenticationFailed === true || code === 'EAUTH')
    return new Fault('CONNECTOR_ERROR', `${host} refused the user name or password${said(responseText)}.`, {
      hint: 'Give the credentials again; some providers want a password of their own for programs.',
    });
  if (typeof response === 'string' && (code === 'EENVELOPE' || code === 'EMESSAGE'))
    return new Fault('CONNECTOR_ERROR', `${host} refused the mail${said(response)}.`, {
      hint: 'Correct the address or the mail by what the server says, or send it later; its connector works.',
      cause: error,
    });
  // Of a connection that could not be made nodemailer tells the kind; its message has what the system said.
  const system = code === 'ESOCKET' && typeof message === 'string' ? /\bE[A-Z]{4,}\b/.exec(message)?.[0] : undefined;
  const reason = system ?? (typeof code === 'string' ? code : 'no usable answer');
  return new Fault('CONNECTOR_ERROR', `${host} could not be used: ${reason}${said(responseText)}.`, {
    hint: 'Check host, port and security (tls, starttls or none).',
    cause: error,
  });
}

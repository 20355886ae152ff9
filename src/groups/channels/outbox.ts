// Writes events into the outboxes of channels, and with them what answers in their threads: replies of chats, messages.
import type { Caller } from '../../contract/caller.ts';
import { services } from '../../outside/channels/services.ts';
import { at } from '../../outside/channels/verify.ts';
import { createListener } from '../../outside/deliveries/outbox.ts';
import type { Db } from '../../ports/db.ts';
import type { Publication } from '../../ports/stream.ts';
import type { ChatMessageDto } from '../chat/dto.ts';
import type { Ear, Heard } from '../hearing.ts';
import { mayHearOf } from '../may-hear.ts';
import { messageSpec } from '../messages/documents.ts';
import type { MessageDto } from '../messages/dto.ts';
import type { ChannelBook, Draft, Ready } from './book.ts';
import type { ChannelDoc } from './record.ts';
import { askedOf, priorityOf, toldOf } from './told.ts';

export interface OutboxDeps {
  db: Db;
  book: ChannelBook;
  /** Who made a channel, with today's rights; null when they are gone. */
  makerOf(channel: ChannelDoc): Promise<Caller | null>;
  mayFollow(caller: Caller, topic: string): Promise<boolean>;
  lineageOf(event: Heard): Promise<readonly number[]>;
  /** Something waits to be sent. */
  poke(): void;
}

/** The key of a message in an inbox that came in through a channel: it is not sent back there. */
export const messageKeyOf = (channelId: number, deliveryId: number): string => `channel:${channelId}:${deliveryId}`;

export type ChannelOutbox = ReturnType<typeof createChannelOutbox>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections.
export function createChannelOutbox(deps: OutboxDeps) {
  const { db, book, makerOf, mayFollow, poke } = deps;
  const messages = db.collection(messageSpec);

  const maySend = async (channel: ChannelDoc, topics: readonly string[]): Promise<boolean> => {
    const maker = await makerOf(channel);
    if (!maker?.permissions.has('ChannelsWrite')) return false;
    return mayHearOf(topics, (topic) => mayFollow(maker, topic));
  };
  /** What came in through a channel does not go out there again. */
  const cameFrom = async ({ _id: channelId, tenantId }: ChannelDoc, { type, data }: Heard): Promise<boolean> => {
    const id = at(data, 'id');
    if (!type.startsWith('message.') || typeof id !== 'number') return false;
    const key = (await messages.findOne({ _id: id, tenantId }))?.key;
    return key?.startsWith(`channel:${channelId}:`) === true;
  };
  /** Where the end of a question belongs: beneath the message that asked it. */
  const threadOf = async (
    { _id: channelId, tenantId, kind }: ChannelDoc,
    escalationId: number,
  ): Promise<string | null> => {
    const asked = { tenantId, channelId, escalationId, direction: 'Outbound' as const };
    const found = await book.deliveries.findOne(asked, { sort: { _id: 1 } });
    return (services[kind].threadsBegin ? found?.externalId : null) ?? found?.threadKey ?? null;
  };

  const put = async ({ channel }: Ready, event: Heard): Promise<void> => {
    // One that came after the event does not take it.
    if (event.isAgain && channel.createdAt.getTime() > event.at) return;
    if (!(await maySend(channel, event.topics)) || (await cameFrom(channel, event))) return;
    const { type, data } = event;
    const { title, text, path } = toldOf(event);
    const asked = askedOf(event);
    const about =
      type.startsWith('escalation.') && typeof at(data, 'id') === 'number' ? (at(data, 'id') as number) : null;
    const runId = type.startsWith('run.') ? at(data, 'id') : at(data, 'runId');
    await book.put(channel, {
      key: about !== null && type === 'escalation.resolved' ? resolvedKeyOf(about) : `event:${event.key}`,
      message: { title, text, priority: priorityOf(event), linkUrl: book.linkTo(path) },
      ...{ eventType: type, topics: [...event.topics], lineage: [...(await deps.lineageOf(event))], asked },
      ...{ escalationId: about, runId: typeof runId === 'number' ? runId : null },
      threadKey: about === null ? null : await threadOf(channel, about),
    });
  };

  /** Answers in the thread that something came in by. */
  const answer = async (channelId: number, tenantId: number, draft: Draft): Promise<void> => {
    const channel = await book.channels.findOne({ _id: channelId, tenantId });
    if (!channel?.enabled || channel.direction === 'Inbound') return;
    await book.put(channel, draft);
    poke();
  };
  const replied = async (tenantId: number, reply: Pick<ChatMessageDto, 'id' | 'state' | 'content'>) => {
    const asked = await book.deliveries.findOne({ tenantId, replyId: reply.id });
    if (!asked) return;
    const said = reply.content.trim();
    const cutOff = reply.state === 'Complete' ? null : `(${endings[reply.state] ?? 'It was not finished.'})`;
    await answer(asked.channelId, tenantId, {
      key: `reply:${reply.id}`,
      message: { ...plain, text: [said, cutOff].filter(Boolean).join('\n\n') || '(The answer has no words.)' },
      ...{ threadKey: asked.threadKey, chatSessionId: asked.chatSessionId },
    });
  };
  const wrote = async (tenantId: number, message: Pick<MessageDto, 'id' | 'threadId' | 'content' | 'senderName'>) => {
    const thread = await book.threads.findOne({ tenantId, messageThreadId: message.threadId });
    if (!thread) return;
    const key = (await messages.findOne({ _id: message.id, tenantId }))?.key;
    if (key?.startsWith('channel:')) return;
    await answer(thread.channelId, tenantId, {
      key: `message:${message.id}`,
      message: { ...plain, text: `**${message.senderName}:** ${message.content}` },
      threadKey: thread.threadKey,
    });
  };

  const listener = createListener({ takers: { ready: book.ready, read: book.read }, put, poke });
  const hasInbound = (ready: readonly Ready[]) => ready.some(({ channel }) => channel.direction !== 'Outbound');
  return {
    maySend,
    ...listener,
    replied,
    answer,
    /** Hears what is said where something came in by a channel. */
    answers: {
      takes({ tenantId, type, data }: Publication): boolean | null {
        if (type !== 'message.sent' && !(type === 'chat.message' && isEnded(data as ChatMessageDto))) return false;
        const ready = book.ready(tenantId);
        return ready ? hasInbound(ready) : null;
      },
      ready: book.read,
      take: ({ tenantId, type, data }) =>
        type === 'message.sent'
          ? wrote(tenantId, data as MessageDto)
          : type === 'chat.message' && isEnded(data as ChatMessageDto)
            ? replied(tenantId, data as ChatMessageDto)
            : Promise.resolve(),
    } satisfies Ear as Ear,
  };
}

const plain = { title: null, priority: 'Normal', linkUrl: null } as const;
const endings: Readonly<Record<string, string>> = {
  Stopped: 'It was stopped.',
  Interrupted: 'The server stopped while this was written. Ask again for the rest.',
  Failed: 'The answer failed.',
};

/** The end of a question is told once, be it heard of or decided here. */
export const resolvedKeyOf = (escalationId: number): string => `escalation:${escalationId}:resolved`;

/** Whether a reply will say nothing more. */
export const isEnded = ({ role, state }: Pick<ChatMessageDto, 'role' | 'state'>): boolean =>
  role === 'assistant' && state !== 'Streaming';

// Answers visitors of published bots: within the limits of the bot, with its words alone.
import type { Chat } from '../../../runtime/chat/chat.ts';
import { implement, type RequestInfo } from '../../contract/operation.ts';
import { addressBlock } from '../../kernel/addresses.ts';
import { Fault } from '../../kernel/fault.ts';
import { renderMarkdown } from '../../markdown/render.ts';
import { shown } from '../../ports/shown.ts';
import type { FollowReply, ReplyItem } from '../chat/reply-stream.ts';
import { dayKey, type OpenBots, reservedTokens } from './book.ts';
import { publicBots } from './contract.ts';
import { type ConversationDeps, createConversations } from './conversations.ts';
import { PublicBotDto, type PublicBotEventDto } from './dto.ts';
import type { BotProfileDoc } from './record.ts';

interface Deps extends ConversationDeps {
  bots: OpenBots;
  chat: Pick<Chat, 'start'>;
  follow: FollowReply;
}

const hourMs = 3_600_000;
/** Tokens of one answer. */
const maxOutputTokens = 2000;

export const publicBotsService = implement(publicBots, (deps: Deps) => {
  const { bots, chat, follow, signer, clock } = deps;
  const { meters } = bots;
  const conversations = createConversations(deps);

  const find = async (guid: string): Promise<BotProfileDoc> => {
    const bot = await bots.byName(guid);
    if (bot) return bot;
    throw new Fault('NOT_FOUND', 'There is no such bot.', { hint: 'Ask who gave you the address.' });
  };

  /** Counts a message of an address. @throws Fault RATE_LIMITED */
  const admit = async (bot: BotProfileDoc, { ip }: RequestInfo): Promise<void> => {
    const now = clock.now();
    const hour = Math.floor(now / hourMs);
    // The address itself is not kept.
    const key = `address ${signer.sign('addresses of visitors', `${hour} ${addressBlock(ip)}`)}`;
    if (await meters.take(bot, key, 1, bot.messagesPerHour)) return;
    throw new Fault('RATE_LIMITED', 'You have sent many messages.', {
      hint: 'Try again within the hour.',
      retryAfterSeconds: Math.ceil(((hour + 1) * hourMs - now) / 1000),
    });
  };

  return {
    get: async ({ params }) => shown(PublicBotDto, await find(params.uid)),
    read: async ({ params, body }) => conversations.read(await find(params.uid), body.conversation),
    ask: async ({ params, body, request }) => {
      const bot = await find(params.uid);
      const { tenantId } = bot;
      await admit(bot, request);
      const day = dayKey(clock.now());
      if (!(await meters.take(bot, day, reservedTokens, bot.tokensPerDay)))
        throw new Fault('BUDGET_EXCEEDED', 'The bot has answered enough for today.', { hint: 'Come back tomorrow.' });
      try {
        const sessionId = await conversations.take(bot, body.conversation ?? null);
        const started = await chat.start({ tenantId, sessionId, message: body.message, maxOutputTokens });
        const reply = { tenantId, sessionId, messageId: started.messageId, lastEventId: null, signal: request.signal };
        const name = conversations.nameOf(bot, sessionId);
        return {
          kind: 'file' as const,
          mediaType: 'text/event-stream; charset=utf-8',
          body: framesOf(name, follow(reply)),
          headers: { 'cache-control': 'no-cache, no-store, no-transform', 'x-accel-buffering': 'no' },
        };
      } catch (error) {
        await meters.settle(bot, day, -reservedTokens);
        throw error;
      }
    },
  };
});

const frame = (event: Partial<PublicBotEventDto> & Pick<PublicBotEventDto, 'type'>): Buffer => {
  const data = JSON.stringify({
    conversation: null,
    text: null,
    html: null,
    error: null,
    ...event,
  } satisfies PublicBotEventDto);
  return Buffer.from(`event: ${event.type}\ndata: ${data}\n\n`);
};

/** What is said, and nothing of how: no reasoning, model, usage or error of a provider. */
async function* framesOf(conversation: string, items: AsyncIterable<ReplyItem>): AsyncGenerator<Buffer> {
  yield frame({ type: 'Started', conversation });
  let said = '';
  for await (const { event } of items) {
    const { type, delta, message } = event;
    const text = type === 'ContentDelta' ? (delta ?? '') : (message?.content.slice(said.length) ?? '');
    said += text;
    if (text !== '') yield frame({ type: 'Text', text });
    if (type === 'Completed') yield frame({ type: 'Ended', html: renderMarkdown(said) });
    if (type === 'Error') yield frame({ type: 'Failed', error: 'The bot could not answer. Try again.' });
  }
}

// A chat in the terminal: one message and its reply, or a conversation until the input ends.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { brokenOff } from '../client/api-error.ts';
import { type ChatMessageDto, type ChatStreamEventDto, type Client, readReply } from '../client/index.ts';
import { CommandError, exitCodes, told } from './failures.ts';
import type { Printer } from './output.ts';

export interface ChatOptions {
  session?: number;
  model?: string;
  identity?: number;
}

/** Answers the exit code. A message comes from the arguments, else from a piped input, else it is asked for. */
export async function chat(
  { client }: { client: Client },
  printer: Printer,
  words: string,
  options: ChatOptions,
): Promise<number> {
  const session = options.session
    ? await client.chat.get({ params: { id: options.session } })
    : await client.chat.create({
        body: {
          ...(options.model ? { modelId: options.model } : {}),
          ...(options.identity ? { identityId: options.identity } : {}),
        },
      });
  const message = words || (process.stdin.isTTY ? '' : await wholeInput());
  if (message) {
    await reply(client, printer, session.id, message);
    printer.remark(printer.paint('dim', `Session ${session.id}: "rivulet chat --session ${session.id}" goes on.`));
    return exitCodes.done;
  }
  if (!process.stdin.isTTY) throw new CommandError('There is no message: give one, or pipe one in.', exitCodes.usage);
  return converse(client, printer, session.id);
}

async function converse(client: Client, printer: Printer, sessionId: number): Promise<number> {
  printer.remark(`Session ${sessionId}. An empty line or Ctrl+D ends the conversation; the session stays.`);
  const input = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const message = await input.question(printer.paint('bold', '› ')).catch(() => '');
      if (!message.trim()) return exitCodes.done;
      await reply(client, printer, sessionId, message);
    }
  } finally {
    input.close();
  }
}

async function wholeInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8').trim();
}

/** How long a server that is gone is asked again, once a second. */
const patienceSeconds = 30;

/**
 * Streams one reply, over another connection where one breaks. Ctrl+C stops it, keeping what was said. @throws
 * CommandError when it ends in an error
 */
async function reply(client: Client, printer: Printer, sessionId: number, message: string): Promise<void> {
  const params = { sessionId };
  const stop = () => void client.chat.stop({ params }).catch(() => undefined);
  const headers = { accept: 'text/event-stream' };
  const teller = createTeller(printer);
  const idempotencyKey = randomUUID();
  let tries = 0;
  process.on('SIGINT', stop);
  try {
    const open = () => client.chat.stream({ params, headers, body: { message, idempotencyKey } });
    const isOver = await readReply({
      open,
      // Before its first event the same message with the same key gives the reply, also one that is over.
      rejoin: (lastEventId) => (lastEventId ? client.chat.resume({ params, headers, query: { lastEventId } }) : open()),
      take: (event) => {
        tries = 0;
        teller.tell(event);
      },
      again: async (isAnswered, error) => {
        tries += 1;
        if (!isAnswered) throw error;
        if (tries === 1) printer.remark(printer.paint('yellow', '… the connection broke off; trying again …'));
        if (tries > patienceSeconds) throw brokenOff(error);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return true;
      },
    });
    if (!isOver) await tellRest(client, sessionId, teller);
    if (!printer.isJson) process.stdout.write('\n');
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Tells what a reply holds that ended while nobody heard it. */
async function tellRest(client: Client, sessionId: number, teller: Teller): Promise<void> {
  const query = { sort: '-id', pageSize: 20 } as const;
  const { items } = await client.chat.messages({ params: { sessionId }, query });
  const kept = items.find(({ id }) => id === teller.messageId);
  if (!kept) return;
  teller.tellWhole(kept);
  if (kept.state !== 'Complete')
    throw new CommandError(`\nThe reply is ${kept.state}: the server ended in the middle of it. Say it again.`);
}

/** Says what a reader would overlook of a reply that has ended. */
function remarkLack(printer: Printer, { content, truncated, toolCalls }: ChatMessageDto): void {
  const isEmpty = content.trim() === '' && (toolCalls ?? []).length === 0;
  const lack = truncated
    ? 'The reply was cut off at its limit of length.'
    : isEmpty
      ? 'The model answered nothing.'
      : null;
  if (lack) printer.remark(printer.paint('yellow', `\n… ${lack}`));
}

interface Teller {
  tell(event: ChatStreamEventDto): void;
  /** What has not been told of a reply. */
  tellWhole(message: ChatMessageDto): void;
  /** Id of the reply, once it has begun. */
  readonly messageId: number | null;
}

/** Prints the events of a reply, its words once, however often it is joined. */
function createTeller(printer: Printer): Teller {
  let shown = '';
  let isThinking = false;
  let messageId: number | null = null;
  const say = (words: string) => {
    process.stdout.write(isThinking ? `\n${words}` : words);
    shown += words;
    isThinking = false;
  };
  const sayRest = ({ content }: ChatMessageDto) => {
    if (content.startsWith(shown)) say(content.slice(shown.length));
  };
  return {
    get messageId() {
      return messageId;
    },
    tellWhole(message) {
      if (printer.isJson) process.stdout.write(`${JSON.stringify(message)}\n`);
      else sayRest(message);
    },
    tell(event) {
      const { type, delta, toolCall, message, error, hint } = event;
      if (message?.role === 'assistant') messageId = message.id;
      if (printer.isJson) process.stdout.write(`${JSON.stringify(event)}\n`);
      else if (type === 'ContentDelta' && delta) say(delta);
      else if (type === 'ReasoningDelta' && delta) {
        process.stdout.write(printer.paint('dim', delta));
        isThinking = true;
      } else if (type === 'ToolCall' && toolCall) printer.remark(printer.paint('cyan', `→ ${toolCall.name}`));
      else if ((type === 'Started' || type === 'Completed') && message) sayRest(message);
      if (type === 'Completed' && message && !printer.isJson) remarkLack(printer, message);
      if (type === 'Error') throw new CommandError(told({ message: error || 'The reply failed.', hint }).join('\n'));
    },
  };
}

// A chat in the terminal: one message and its reply, or a conversation until the input ends.
import { createInterface } from 'node:readline/promises';
import { type ChatStreamEventDto, type Client, readSse } from '../client/index.ts';
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

/** Streams one reply. Ctrl+C stops it, keeping what was said. @throws CommandError when it ends in an error */
async function reply(client: Client, printer: Printer, sessionId: number, message: string): Promise<void> {
  const stop = () => void client.chat.stop({ params: { sessionId } }).catch(() => undefined);
  process.on('SIGINT', stop);
  try {
    const response = await client.chat.stream({ params: { sessionId }, body: { message } });
    let isThinking = false;
    for await (const { data } of readSse(response)) {
      const event = JSON.parse(data) as ChatStreamEventDto;
      if (printer.isJson) process.stdout.write(`${JSON.stringify(event)}\n`);
      else isThinking = tell(printer, event, isThinking);
      if (event.type === 'Error')
        throw new CommandError(told({ message: event.error || 'The reply failed.', hint: event.hint }).join('\n'));
    }
    if (!printer.isJson) process.stdout.write('\n');
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Prints one event; answers whether the last thing printed was reasoning. */
function tell(printer: Printer, { type, delta, toolCall, message }: ChatStreamEventDto, isThinking: boolean): boolean {
  if (type === 'ReasoningDelta' && delta) process.stdout.write(printer.paint('dim', delta));
  else if (type === 'ContentDelta' && delta) process.stdout.write(isThinking ? `\n${delta}` : delta);
  else if (type === 'Started' && message?.content) process.stdout.write(message.content);
  else if (type === 'ToolCall' && toolCall) printer.remark(printer.paint('cyan', `→ ${toolCall.name}`));
  else return isThinking;
  return type === 'ReasoningDelta';
}

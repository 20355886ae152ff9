// A conversation as the text of a memory, or of several where it is long.
import type { ParsedMessage } from './shapes.ts';

/** Characters of one memory, below what a memory may have. */
export const memoryLength = 60_000;
/** Characters of a part, where a conversation becomes several memories. */
const partLength = 16_000;

export interface MemoryText {
  title: string;
  content: string;
}

interface About {
  title: string | null;
  source: string;
  startedAt: Date | null;
}

const speakers: Readonly<Record<string, string>> = { user: 'User', tool: 'Tool', system: 'System' };

/**
 * The texts of a conversation: one that holds as much as fits, or as many as it takes. Messages are read once, in order.
 *
 * @param one - all in one memory, which says where it was cut
 */
export async function transcript(
  { title, source, startedAt }: About,
  messages: AsyncIterable<ParsedMessage>,
  one: boolean,
): Promise<MemoryText[]> {
  const name = title ?? `Conversation from ${source}`;
  const head = `Conversation with ${source}${startedAt ? ` on ${startedAt.toISOString().slice(0, 10)}` : ''}.`;
  const most = one ? memoryLength : partLength;
  const parts: string[] = [];
  let text = head;
  let isCut = false;
  const lines = linesOf(messages, most - head.length - 100);
  for await (const line of lines) {
    if (text.length + line.length + 2 <= most - 40) {
      text += `\n\n${line}`;
      continue;
    }
    if (one) {
      isCut = true;
      break;
    }
    parts.push(text);
    text = `${head}\n\n${line}`;
  }
  parts.push(isCut ? `${text}\n\n[…]` : text);
  if (parts.length === 1) return [{ title: name, content: parts[0] as string }];
  return parts.map((content, index) => ({
    title: `${name.slice(0, 270)} (${index + 1} of ${parts.length})`,
    content,
  }));
}

/** What each message says with its speaker; one that is longer than a part in pieces. */
async function* linesOf(messages: AsyncIterable<ParsedMessage>, most: number): AsyncGenerator<string> {
  for await (const { role, content } of messages) {
    const said = `${speakers[role] ?? 'Assistant'}: ${content.trim()}`;
    for (let from = 0; from < said.length; from += most) yield said.slice(from, from + most);
  }
}

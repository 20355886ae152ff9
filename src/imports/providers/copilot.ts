// Copilot: one table with a row for each message.
import { parse } from 'csv-parse/sync';
import { broken } from '../broken.ts';
import { conversation, roleOf } from '../conversation.ts';
import { timeOf, titleOf } from '../fields.ts';
import { limits } from '../limits.ts';
import type { Format, ParsedMessage } from '../shapes.ts';

const names = {
  conversation: ['conversation', 'title'],
  time: ['time', 'date', 'timestamp'],
  author: ['author', 'role', 'sender'],
  message: ['message', 'content', 'text'],
};

export const copilot: Format = {
  provider: 'Copilot',
  name: 'copilot-csv',
  takes: ({ value }) => typeof value === 'string',
  open: ({ name }) => {
    let text = '';
    return {
      read({ value }) {
        text += String(value);
        if (text.length > limits.pieceBytes)
          throw broken('A table of the archive is too large to be read.', 'Divide it into several files.');
        return [];
      },
      *end() {
        const [head = [], ...rows] = rowsOf(text);
        const at = columnsOf(head);
        if (!at) return yield { kind: 'skipped', reason: 'tables without conversations', where: name };
        const chats = new Map<string, ParsedMessage[]>();
        for (const row of rows) {
          const title = row[at.conversation] ?? '';
          const messages = chats.get(title) ?? [];
          chats.set(title, messages);
          const [role, sentAt] = [roleOf(row[at.author]?.trim()), timeOf(row[at.time] ?? '')];
          messages.push({ role, content: row[at.message] ?? '', modelId: null, sentAt });
        }
        for (const [title, messages] of chats)
          yield* conversation({ sourceId: title.slice(0, 200), title: titleOf(title) }, inTime(messages));
      },
    };
  },
};

function rowsOf(text: string): string[][] {
  try {
    return parse(text, { bom: true, relax_column_count: true, skip_empty_lines: true });
  } catch (cause) {
    throw broken('A table of the archive is damaged.', undefined, cause);
  }
}

function columnsOf(head: readonly string[]): Record<keyof typeof names, number> | null {
  const at = (of: readonly string[]) => head.findIndex((one) => of.includes(one.trim().toLowerCase()));
  const columns = {
    conversation: at(names.conversation),
    time: at(names.time),
    author: at(names.author),
    message: at(names.message),
  };
  return columns.message < 0 || columns.author < 0 ? null : columns;
}

/** Oldest first, whichever way the table goes. */
const inTime = (messages: readonly ParsedMessage[]): ParsedMessage[] => {
  const times = messages.map(({ sentAt }) => sentAt?.getTime() ?? null);
  const [first, last] = [times[0], times.at(-1)];
  return first != null && last != null && first > last ? messages.toReversed() : [...messages];
};

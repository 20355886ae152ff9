// Copilot: tables with a row for each message, read row by row; those of Windows have what was asked alone.
import { parse } from 'csv-parse';
import { broken } from '../broken.ts';
import { conversation, roleOf } from '../conversation.ts';
import { timeOf, titleOf } from '../fields.ts';
import { createGathering, partId, titleOfPart } from '../gathering.ts';
import { limits } from '../limits.ts';
import type { Format, Parsed, ParsedMessage } from '../shapes.ts';
import { createSittings } from '../sittings.ts';

const names = {
  conversation: ['conversation', 'chatname', 'title'],
  time: ['time', 'createdat', 'date', 'timestamp'],
  author: ['author', 'role', 'sender'],
  message: ['message', 'messagecontent', 'content', 'text'],
  prompt: ['prompt'],
};
type Columns = Record<keyof typeof names, number>;

export const copilot: Format = {
  provider: 'Copilot',
  name: 'copilot-csv',
  takes: ({ value }) => typeof value === 'string',
  open: ({ name }) => {
    const table = createTable();
    const chats = createGathering(function* ({ sourceId, messages, part }): Generator<Parsed> {
      const title = titleOf(sourceId);
      const about = { sourceId: partId(sourceId.slice(0, 180), part), title: title && titleOfPart(title, part) };
      yield* conversation(about, inTime(messages));
    });
    const prompts = createSittings();
    let at: Columns | null | undefined;
    let rows = 0;
    function* take(found: readonly string[][]): Generator<Parsed> {
      for (const row of found) {
        if (at === undefined) at = columnsOf(row);
        else if (at) {
          rows++;
          yield* at.message < 0 ? asked(row, at) : chats.add(row[at.conversation] ?? '', messageOf(row, at));
        }
      }
    }
    function* asked(row: readonly string[], { prompt, time }: Columns): Generator<Parsed> {
      const text = row[prompt]?.trim();
      if (text) yield* prompts.add({ prompt: text, answer: '', at: timeOf(row[time] ?? '') });
    }
    return {
      *read({ value }) {
        yield* take(table.write(String(value)));
      },
      *end() {
        yield* take(table.end());
        if (rows === 0) yield { kind: 'skipped', reason: 'tables without conversations', where: name };
        yield* chats.end();
        yield* prompts.end();
      },
    };
  },
};

/** Rows of a table that comes in pieces. @throws Fault VALIDATION_FAILED */
function createTable() {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: limits.rowBytes,
  });
  let failure: unknown = null;
  parser.on('error', (error) => {
    failure = error;
  });
  let unread = 0;
  // The parser works while it is written to; rows lie in it until they are taken.
  const taken = (): string[][] => {
    const rows: string[][] = [];
    for (let row = parser.read(); row !== null; row = parser.read()) rows.push(row as string[]);
    if (rows.length > 0) unread = 0;
    if (failure !== null || parser.errored || unread > limits.rowBytes)
      throw broken('A table of the archive is damaged.', undefined, failure ?? parser.errored);
    return rows;
  };
  return {
    write(text: string): string[][] {
      unread += text.length;
      parser.write(text);
      return taken();
    },
    end(): string[][] {
      parser.end();
      return taken();
    },
  };
}

const messageOf = (row: readonly string[], at: Columns): ParsedMessage => ({
  role: roleOf(row[at.author]?.trim()),
  content: row[at.message] ?? '',
  modelId: null,
  sentAt: timeOf(row[at.time] ?? ''),
});

function columnsOf(head: readonly string[]): Columns | null {
  const at = (of: readonly string[]) => head.findIndex((one) => of.includes(one.trim().toLowerCase()));
  const columns = Object.fromEntries(Object.entries(names).map(([key, of]) => [key, at(of)])) as Columns;
  const isChat = columns.message >= 0 && columns.author >= 0;
  return isChat || (columns.prompt >= 0 && columns.time >= 0) ? columns : null;
}

/** Oldest first, whichever way the table goes. */
const inTime = (messages: readonly ParsedMessage[]): ParsedMessage[] => {
  const times = messages.map(({ sentAt }) => sentAt?.getTime() ?? null);
  const [first, last] = [times[0], times.at(-1)];
  return first != null && last != null && first > last ? messages.toReversed() : [...messages];
};

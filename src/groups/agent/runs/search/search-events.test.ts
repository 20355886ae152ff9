// The search in events: which words are found where, page by page through several runs, and what it refuses.
import { expect, it } from 'vitest';
import type { EventQuery } from '../../../../../runtime/ports.ts';
import type { AgentEvent } from '../../../../../runtime/records.ts';
import { type EventSearch, mostSearched, searchEvents } from './search-events.ts';
import { excerptsOf, soughtWords } from './words.ts';

const event = (fields: Partial<AgentEvent>) =>
  ({
    title: '',
    message: null,
    toolName: null,
    modelId: null,
    payloadJson: null,
    createdAt: 0,
    ...fields,
  }) as AgentEvent;
const found = (q: string, fields: Partial<AgentEvent>) => excerptsOf(event(fields), soughtWords(q));
const marked = (q: string, fields: Partial<AgentEvent>) =>
  found(q, fields)?.map(({ field, text, marks }) => [field, ...marks.map(({ at, length }) => text.substr(at, length))]);

it('every word must be there, wherever it stands, and is marked where it does', () => {
  const call = {
    title: 'run_note',
    payloadJson: '{"argumentsJson":"{\\"content\\":\\"A \\\\\\"tall\\\\\\" Élan\\",\\"n\\":42}"}',
  };
  expect(marked('NOTE élan', call)).toEqual([
    ['title', 'note'],
    ['content', 'Élan'],
  ]);
  expect(marked('42', call)).toEqual([['n', '42']]);
  expect(found('note missing', call)).toBeNull();
  expect(found('argumentsjson', call)).toBeNull();
  expect(marked('"red river"', { message: 'A river, red.' })).toBeUndefined();
  expect(marked('"red river" a', { message: 'A red  then red river' })).toEqual([['message', 'A', 'red river']]);
  // Letters that are longer in lower case move no mark.
  expect(marked('end', { message: 'İİİ end' })).toEqual([['message', 'end']]);
  expect(found('n', { payloadJson: '{"text":"\\n"}' })).toBeNull();
  const long = found('needle', { message: `${'hay '.repeat(200)}needle${' hay'.repeat(200)}` })?.[0];
  expect(long?.text.length).toBeLessThan(210);
  expect(long?.text.substr(long.marks[0]?.at ?? 0, 6)).toBe('needle');
  // Two words far from each other are one excerpt, which shows the first.
  expect(marked('ada cy', { message: `ada${' '.repeat(400)}cy` })).toEqual([['message', 'ada']]);
});

/** Two runs of 150 events, whose every tenth is a call of a tool. */
function history(runs: Record<number, number>) {
  const reads: (EventQuery & { runId: number })[] = [];
  const eventsOf = (runId: number) =>
    Array.from({ length: runs[runId] ?? 0 }, (_, at) =>
      event({
        runId,
        seq: at + 1,
        type: at % 10 === 9 ? 'ToolCallStarted' : 'Log',
        title: at % 50 === 49 ? 'the needle' : 'hay',
        level: at === 29 ? 'Error' : 'Information',
        createdAt: at * 1000,
      }),
    );
  const all = new Map(Object.keys(runs).map((id) => [Number(id), eventsOf(Number(id))]));
  const events = async (runId: number, query: EventQuery) => {
    reads.push({ runId, ...query });
    const following = (all.get(runId) ?? []).slice(query.afterSeq ?? 0);
    if (!query.types) return following.slice(0, query.limit);
    return following.filter(({ type }) => query.types?.includes(type)).slice(0, query.limit);
  };
  const search = (query: Partial<EventSearch>, signal = new AbortController().signal) =>
    searchEvents(Object.keys(runs).map(Number), { limit: 50, ...query }, { events, signal });
  return { reads, search };
}

it('pages go on from a cursor through the runs, and find each hit once', async () => {
  const { search, reads } = history({ 7: 150, 8: 150 });
  const hits: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 9; pages++) {
    const page = await search({ q: 'needle', limit: 2, cursor });
    hits.push(...page.items.map(({ runId, seq }) => `${runId}.${seq}`));
    cursor = page.cursor;
    if (!page.hasMore) break;
  }
  expect(hits).toEqual(['7.50', '7.100', '7.150', '8.50', '8.100', '8.150']);
  expect(Math.max(...reads.map(({ limit }) => limit))).toBeLessThanOrEqual(100);
  // Nothing was lost at the end: events that come later are found from there.
  expect(await search({ q: 'needle', cursor })).toMatchObject({ items: [], hasMore: false, cursor: '8.150' });
  const calls = await search({
    types: ['ToolCallStarted'],
    fromUtc: '1970-01-01T00:00:30Z',
    toUtc: '1970-01-01T00:01:00Z',
  });
  expect(calls.items.map(({ seq }) => seq)).toEqual([40, 50, 60, 40, 50, 60]);
});

it('a least level leaves out the others', async () => {
  const { items } = await history({ 7: 150 }).search({ minLevel: 'Warning' });
  expect(items.map(({ seq }) => seq)).toEqual([30]);
});

it('one answer looks at so many events and no more, and stops with its asker', async () => {
  const { search, reads } = history({ 7: mostSearched.events + 50 });
  const first = await search({ q: 'nothing' });
  expect(first).toMatchObject({ items: [], hasMore: true, searched: mostSearched.events });
  expect(await search({ q: 'nothing', cursor: first.cursor })).toMatchObject({ hasMore: false, searched: 50 });
  const gone = new AbortController();
  reads.length = 0;
  gone.abort(new Error('gone'));
  await expect(search({ q: 'nothing' }, gone.signal)).rejects.toThrow('gone');
  expect(reads).toHaveLength(1);
});

it('what makes no sense is refused', async () => {
  const { search } = history({ 7: 1 });
  const refused = (query: Partial<EventSearch>, message: RegExp) =>
    expect(search(query)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringMatching(message) });
  await refused({ q: '"half' }, /quotation mark/);
  await refused({ q: '""' }, /no words/);
  await refused({ q: 'a b c d e f g h i' }, /9 words, of 8/);
  await refused({ cursor: 'x' }, /cursor/);
  await refused({ cursor: '9.1' }, /cursor/);
  await refused({ fromUtc: '2026-01-02T00:00:00Z', toUtc: '2026-01-01T00:00:00Z' }, /not before/);
});

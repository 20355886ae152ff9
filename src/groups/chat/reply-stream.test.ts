// What is told of one part of a reply is not told of the part that goes on after it.
import { expect, it } from 'vitest';
import type { MessageRecord, SessionRecord } from '../../../runtime/chat/records.ts';
import { blank } from '../../../runtime/chat/start.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { FollowedEvent, Follower } from '../../ports/stream.ts';
import { createReplyFollower, type ReplyItem } from './reply-stream.ts';

const session = { id: 7, tenantId: 1 } as SessionRecord;

/** The events of a topic, as type and index, on top of a message that was continued after index 4. */
async function followed(...told: [type: string, index: number][]) {
  return (await itemsOf(told.map(([type, index]) => ({ type, index })))).map(({ event }): [string, number] => [
    event.type,
    event.index,
  ]);
}

/** `joined`: how many events a delta is made of, one letter each. */
async function itemsOf(
  told: { type: string; index: number; joined?: number }[],
  lastEventId: string | null = null,
  stored: Partial<MessageRecord> = { state: 'Streaming', index: 4 },
  { untilTold }: { untilTold?: Partial<MessageRecord> } = {},
) {
  const ports = { store: { nextMessageId: async () => 3 }, clock: new SimulatedClock() };
  const made = await blank(ports as never, session, null);
  const message: MessageRecord = { ...made, role: 'assistant', ...stored };
  const events = told.map(({ type, index, joined = 1 }): FollowedEvent => {
    const delta = Array.from({ length: joined }, (_, at) => String.fromCharCode(97 + index - joined + 1 + at)).join('');
    const data = { type, index, messageId: 3, sessionId: 7, delta: type === 'ContentDelta' ? delta : null };
    const place = { seq: index, first: index - joined + 1, ends: Array.from({ length: joined }, (_, at) => at + 1) };
    return { id: `e.${index}`, epoch: 'e', topic: 'chat:7', type: 'chat.stream', atUtc: '', data, ...place };
  });
  const follower = {
    async *follow() {
      yield* events.slice(0, -1);
      // The store has the end before it is told.
      if (untilTold) Object.assign(message, untilTold);
      yield* events.slice(-1);
      // A topic does not end with one of its replies.
      if (untilTold) await new Promise(() => {});
    },
  } as unknown as Follower;
  const follow = createReplyFollower({ follower, load: async () => ({ session, message }) });
  const signal = new AbortController().signal;
  const seen: ReplyItem[] = [];
  for await (const item of follow({ tenantId: 1, sessionId: 7, messageId: 3, lastEventId, signal })) seen.push(item);
  return seen;
}

it('the interruption of the part before, told late, does not end the one that goes on', async () => {
  const rest: [string, number][] = [
    ['ContentDelta', 6],
    ['Completed', 7],
  ];
  expect(await followed(['Started', 5], ['Error', 4], ...rest)).toEqual([['Started', 5], ...rest]);
  expect(await followed(['Error', 4], ['Started', 5], ...rest)).toEqual([['Started', 4], ['Started', 5], ...rest]);
});

const delta = (index: number, joined = 1) => ({ type: 'ContentDelta', index, joined });
const started = { type: 'Started', index: 5 };
const completed = { type: 'Completed', index: 12 };

it('each event has an id of its own, which grows', async () => {
  const items = await itemsOf([started, delta(8, 3), delta(11, 3), completed]);
  expect(items.map(({ id }) => id)).toEqual(['m3.5', 'm3.8', 'm3.11', 'm3.12']);
});

it('goes on after any event, also within deltas that come joined', async () => {
  const told = [started, delta(8, 3), delta(11, 3), completed];
  const text = 'ghijkl';
  for (let index = 5; index <= 11; index++) {
    const items = await itemsOf(told, `m3.${index}`);
    expect([index, items.map(({ event }) => event.delta ?? '').join('')]).toEqual([index, text.slice(index - 5)]);
    expect(items.at(-1)?.event.type).toBe('Completed');
  }
});

it('begins anew where events are missing after the cursor', async () => {
  const [first] = await itemsOf([delta(9), completed], 'm3.3');
  expect(first?.event.type).toBe('Started');
});

it('an id of another reply is the beginning of this one', async () => {
  expect((await itemsOf([started, completed], 'm2.99')).map(({ id }) => id)).toEqual(['m3.5', 'm3.12']);
});

it('begins anew where a reply has ended in the store, and its last deltas are still on their way', async () => {
  const ended = { state: 'Complete', index: 11 } as const;
  const ids = async (told: Parameters<typeof itemsOf>[0], cursor: string) =>
    (await itemsOf(told, cursor, ended)).map(({ id, event }) => `${event.type} ${id}`);
  expect(await ids([started, delta(8, 3)], 'm3.7')).toEqual(['ContentDelta m3.8', 'Started m3.11', 'Completed m3.12']);
  expect(await ids([], 'm3.8')).toEqual(['Started m3.11', 'Completed m3.12']);
  expect(await ids([started, delta(8, 3), delta(11, 3)], 'm3.8')).toEqual(['ContentDelta m3.11', 'Completed m3.12']);
  expect(await ids([], 'm3.11')).toEqual(['Completed m3.12']);
  // A place in the chat's log says nothing of how much of the reply was told.
  expect(await ids([], 'e.8')).toEqual(['Completed m3.12']);
});

it('ends with its reply also where a lost node had told more than it saved', async () => {
  const told = [started, delta(8, 3), delta(11, 3), { type: 'Error', index: 9 }];
  const streaming = { state: 'Streaming', index: 5 } as const;
  const ended = { state: 'Interrupted', index: 8 } as const;
  const items = await itemsOf(told, null, streaming, { untilTold: ended });
  expect(items.map(({ id, event }) => `${event.type} ${id}`).slice(-2)).toEqual(['ContentDelta m3.11', 'Error m3.12']);
  // The same where another node goes on with it at once: that part has numbers of its own.
  const goesOn = [...told.slice(0, -1), { type: 'Started', index: 10_009 }, { type: 'Completed', index: 10_010 }];
  const rest = await itemsOf(goesOn, 'm3.11', { state: 'Streaming', index: 10_009 });
  expect(rest.map(({ id }) => id)).toEqual(['m3.10009', 'm3.10010']);
});

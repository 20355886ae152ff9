// Following a topic from inside the server, from a time on and up to now.
import { expect, it } from 'vitest';
import type { FollowRequest } from '../../ports/stream.ts';
import { createStand, type Stand } from '../testing/stand.ts';
import { createFollower } from './follower.ts';

const topic = 'chat:7';
const say = (stand: Stand, delta: string, index = 0) =>
  stand.publisher.publish({
    tenantId: 1,
    topics: [topic],
    type: 'chat.stream',
    data: { type: 'ContentDelta', sessionId: 7, messageId: 9, index, delta },
  });
const touch = (stand: Stand) =>
  stand.publisher.publish({ tenantId: 1, topics: [topic], type: 'chat.session.updated', data: { id: 7 } });

async function readToNow(stand: Stand, more: Partial<FollowRequest> = {}) {
  const signal = new AbortController().signal;
  const request = { tenantId: 1, topic, lastEventId: '0', untilNow: true, signal, ...more };
  const events: { id: string; type: string; delta?: string }[] = [];
  for await (const { id, type, data } of createFollower(stand.hub).follow(request))
    events.push({ id, type, delta: (data as { delta?: string }).delta ?? '' });
  return events;
}

it('ends when everything that was there has been read', async () => {
  const stand = await createStand();
  expect(await readToNow(stand)).toEqual([]);
  for (let n = 0; n < 300; n++) await say(stand, `${n} `, n);
  const all = await readToNow(stand);
  const text = Array.from({ length: 300 }, (_, n) => `${n} `).join('');
  expect(all.map(({ delta }) => delta).join('')).toBe(text);
  // At the end there is nothing, also when the types that are wanted are not those at the end.
  expect(await readToNow(stand, { lastEventId: all.at(-1)?.id ?? '' })).toEqual([]);
  await touch(stand);
  expect(await readToNow(stand, { lastEventId: all.at(-1)?.id ?? '', types: ['chat.stream'] })).toEqual([]);
});

it('ends after what the store still holds when the process is a new one, with a word on what is lost', async () => {
  const stand = await createStand();
  await touch(stand);
  await say(stand, 'lost');
  await stand.restart(false);
  const events = await readToNow(stand);
  expect(events[0]?.type).toBe('chat.session.updated');
  expect(events.some(({ delta }) => delta === 'lost')).toBe(false);
});

it('begins at a time that only the store remembers', async () => {
  const stand = await createStand();
  await touch(stand);
  await stand.clock.advance(10);
  const since = stand.clock.now();
  await touch(stand);
  await touch(stand);
  await stand.restart(true);
  expect(await readToNow(stand, { lastEventId: null, since })).toHaveLength(2);
  expect(await readToNow(stand, { lastEventId: null, since: since + 1 })).toEqual([]);
});

it('begins at a time where there is no cursor', async () => {
  const stand = await createStand();
  await say(stand, 'before');
  await stand.clock.advance(10);
  const since = stand.clock.now();
  await say(stand, 'at');
  await stand.clock.advance(10);
  await say(stand, 'after');
  const events = await readToNow(stand, { lastEventId: null, since });
  expect(events.map(({ delta }) => delta)).toEqual(['at', 'after']);
});

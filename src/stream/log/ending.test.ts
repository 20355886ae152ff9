// When a stream is over: with its run, with the root of its tree once all is quiet, and not while it may go on.
import { expect, test } from 'vitest';
import { createStand, settle, TestClient } from '../testing/stand.ts';
import { endingOf } from './ending.ts';

const event = (type: string, id = 1, status = 'Running') => ({
  tenantId: 1,
  topics: ['run:1', 'run-tree:1'],
  type,
  data: { id, status },
});

test.each<[string, string, [type: string, id: number, status: string][], boolean]>([
  ['a run that ends', 'run:1', [['run.ended', 1, 'Completed']], true],
  [
    'what follows an end',
    'run:1',
    [
      ['run.ended', 1, 'Failed'],
      ['run.feedback', 1, ''],
    ],
    true,
  ],
  [
    'a restart',
    'run:1',
    [
      ['run.ended', 1, 'Failed'],
      ['run.status', 1, 'Queued'],
    ],
    false,
  ],
  [
    'a root whose children still end',
    'run-tree:1',
    [
      ['run.ended', 1, 'Cancelled'],
      ['run.status', 2, 'Cancelled'],
    ],
    false,
  ],
  [
    'a tree that rests with its root',
    'run-tree:1',
    [
      ['run.ended', 1, 'Completed'],
      ['tree.quiesced', 0, ''],
    ],
    true,
  ],
  [
    'a tree that rests while its root is paused',
    'run-tree:1',
    [
      ['run.status', 1, 'Paused'],
      ['tree.quiesced', 0, ''],
    ],
    false,
  ],
  [
    'a paused root that is cancelled',
    'run-tree:1',
    [
      ['tree.quiesced', 0, ''],
      ['run.status', 1, 'Cancelled'],
      ['run.ended', 1, 'Cancelled'],
    ],
    true,
  ],
  [
    'the end of a child',
    'run-tree:1',
    [
      ['run.ended', 2, 'Completed'],
      ['tree.quiesced', 0, ''],
    ],
    false,
  ],
  [
    'a tree that is restarted',
    'run-tree:1',
    [
      ['run.ended', 1, 'Failed'],
      ['tree.quiesced', 0, ''],
      ['run.status', 1, 'Queued'],
    ],
    false,
  ],
])('%s', (_what, topic, events, over) => {
  const ending = endingOf(topic);
  for (const [type, id, status] of events) ending?.take(type, () => ({ id, status }));
  expect(ending?.isOver).toBe(over);
});

test('lists and chats never end', () => {
  expect(['runs', 'chat:1', 'project:1', 'inbox:1'].map(endingOf)).toEqual([null, null, null, null]);
});

class Watching extends TestClient {
  ends = 0;
  over(): void {
    this.ends++;
  }
}

test('a viewer hears of the end once, after all events, live or from the store, and again at once when it comes late', async () => {
  const stand = await createStand(undefined, 60_000);
  const live = new Watching();
  await live.connect(stand, 'run:1', null, true);
  for (const type of ['run.created', 'run.event', 'run.ended']) await stand.publisher.publish(event(type));
  await settle();
  expect([live.seen.at(-1)?.type, live.ends]).toEqual(['run.ended', 1]);
  await stand.clock.advance(120_000);
  stand.broker.sweep();
  await settle();
  const late = new Watching();
  await late.connect(stand, 'run:1', '0', true);
  await settle();
  expect([late.seen.length, late.ends]).toEqual([3, 1]);
  const later = new Watching();
  await later.connect(stand, 'run:1', late.lastEventId, true);
  await settle();
  expect([later.seen.length, later.ends]).toEqual([0, 1]);
  const following = new Watching();
  await following.connect(stand, 'run:1', late.lastEventId);
  await stand.publisher.publish(event('run.status', 1, 'Queued'));
  await settle();
  expect([following.seen.map(({ type }) => type), following.ends]).toEqual([['run.status'], 0]);
});

// What is told of one part of a reply is not told of the part that goes on after it.
import { expect, it } from 'vitest';
import type { MessageRecord, SessionRecord } from '../../../runtime/chat/records.ts';
import { blank } from '../../../runtime/chat/start.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { FollowedEvent, Follower } from '../../ports/stream.ts';
import { createReplyFollower } from './reply-stream.ts';

const session = { id: 7, tenantId: 1 } as SessionRecord;

/** The events of a topic, as type and index, on top of a message that was continued after index 4. */
async function followed(...told: [type: string, index: number][]) {
  const ports = { store: { nextMessageId: async () => 3 }, clock: new SimulatedClock() };
  const made = await blank(ports as never, session, null);
  const message: MessageRecord = { ...made, role: 'assistant', state: 'Streaming', index: 4 };
  const events = told.map(([type, index], at): FollowedEvent => {
    const data = { type, index, messageId: 3, sessionId: 7 };
    return { id: `e.${at}`, epoch: 'e', seq: at, topic: 'chat:7', type: 'chat.stream', atUtc: '', data };
  });
  const follower = {
    async *follow() {
      yield* events;
    },
  } as unknown as Follower;
  const follow = createReplyFollower({ follower, load: async () => ({ session, message }) });
  const signal = new AbortController().signal;
  const seen: [string, number][] = [];
  for await (const { event } of follow({ tenantId: 1, sessionId: 7, messageId: 3, lastEventId: null, signal }))
    seen.push([event.type, event.index]);
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

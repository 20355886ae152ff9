// The tables of types and topics say what the interface says.
import { expect, test } from 'vitest';
import { z } from 'zod';
import spec from '../../../test/conformance/events.json' with { type: 'json' };
import { eventTypes } from '../../groups/events.ts';
import type { Publisher } from '../../ports/stream.ts';
import { eventType, mergeKeyOf } from './events.ts';
import { parseTopic, topicPatterns } from './topics.ts';

/** Events beside those of the interface; their texts say that they are ours. */
const ours = ['bot.updated', 'connector.webhook', 'memory.recalled', 'org.unit.updated', 'training.run.updated'];
/** Topics beside those of the interface. */
const ourTopics = ['org-units'];

test('every event is one of the interface or of ours, with its topics, payload and durability', () => {
  const theirs = new Map(spec.events.map(({ type, topics, payload, durable }) => [type, { topics, payload, durable }]));
  for (const type of ours) expect(theirs.has(type), type).toBe(false);
  for (const [type, { topics, data, durable, doc }] of Object.entries(eventTypes)) {
    if (ours.includes(type)) {
      expect(doc).toContain('(ours)');
      continue;
    }
    const payload = z.globalRegistry.get(data)?.id;
    expect([type, { topics, payload, durable }]).toEqual([type, theirs.get(type)]);
  }
});

test('every topic of the interface is there, with its permission', () => {
  const theirs = spec.topics.map(({ pattern, permission }) => [pattern.replace(/\{\w+\}/, '*'), permission]);
  for (const [pattern] of theirs) expect(ourTopics).not.toContain(pattern);
  const others = [...topicPatterns].filter(([pattern]) => !ourTopics.includes(pattern));
  expect(others.map(([pattern, { needs }]) => [pattern, needs])).toEqual(theirs);
});

test('every event type travels on topics that exist', () => {
  for (const { topics } of Object.values(eventTypes)) {
    for (const topic of topics) expect(parseTopic(topic.replace('*', '1')).pattern).toBe(topic);
  }
});

test('what a topic is about has one name', () => {
  for (const name of ['run:0129', 'run:0', 'chat:007'])
    expect(() => parseTopic(name)).toThrow(`There is no topic "${name}"`);
});

test('deltas join only with their like', () => {
  const delta = { runId: 1, iteration: 2, kind: 'Content', toolCallId: null, delta: 'a' };
  const key = mergeKeyOf('run.delta', delta);
  expect(mergeKeyOf('run.delta', { ...delta, delta: 'b', index: 9 })).toBe(key);
  for (const change of [{ runId: 2 }, { iteration: 3 }, { kind: 'Reasoning' }, { toolCallId: 'c' }]) {
    expect(mergeKeyOf('run.delta', { ...delta, ...change })).not.toBe(key);
  }
  expect(mergeKeyOf('run.event', delta)).toBeNull();
  expect(mergeKeyOf('chat.stream', { type: 'ContentDelta', sessionId: 1, messageId: 1, delta: 'a' })).not.toBeNull();
  expect(mergeKeyOf('chat.stream', { type: 'Completed', sessionId: 1, messageId: 1, delta: null })).toBeNull();
  expect(mergeKeyOf('run.sandbox.output', { runId: 1, stream: 'Stdout', text: '', exitCode: 0 })).toBeNull();
  expect(eventType('toString')).toBeUndefined();
});

test('a publisher is held to the declared types and payloads by the compiler', () => {
  const publisher: Publisher = { publish: async () => {} };
  const to = { tenantId: 1, topics: ['me'] };
  const note = { kind: 'System', title: 'x', body: null, level: 'Information', url: null, targetId: null } as const;
  void publisher.publish({ ...to, type: 'notification', data: { ...note, atUtc: '2026-01-01T00:00:00Z' } });
  // @ts-expect-error no group declares this event
  void publisher.publish({ ...to, type: 'run.undeclared', data: {} });
  // @ts-expect-error the payload lacks a field
  void publisher.publish({ ...to, type: 'notification', data: note });
  // @ts-expect-error it is the payload of another event
  void publisher.publish({ ...to, type: 'run.note', data: { ...note, atUtc: '' } });
});

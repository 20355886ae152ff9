// What the server really tells, held against the interface: its types, on their topics, with their payloads.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient, type RawEvent } from '../../src/client/index.ts';
import { type EventTypeName, eventTypes } from '../../src/groups/events.ts';
import { connectAgent, weatherTool } from '../support/agent.ts';
import { hastyUpTo } from '../support/hasty-clock.ts';
import { openStage, type Stage } from '../support/stage.ts';
import spec from './events.json' with { type: 'json' };

/** What one busy run, a chat and their neighbours make the server tell. */
const told: EventTypeName[] = [
  'run.created',
  'run.updated',
  'run.status',
  'run.completed',
  'run.ended',
  'run.deleted',
  'tree.quiesced',
  'run.event',
  'run.delta',
  'run.budget',
  'run.note',
  'run.feedback',
  'run.task',
  'run.message',
  'escalation.raised',
  'escalation.resolved',
  'council.updated',
  'council.statement',
  'message.received',
  'message.sent',
  'message.read',
  'inbox.count',
  'presence.changed',
  'identity.updated',
  'identity.deleted',
  'router.call',
  'system.health',
  'system.node',
  'connection.opened',
  'connection.closed',
  'notification',
  'run.failed',
  'chat.session.updated',
  'chat.session.deleted',
  'chat.message',
  'chat.stream',
];
/** Told elsewhere: where commands run, providers fail, money is spent, a log has forgotten, to projects, and by routines. */
const elsewhere: EventTypeName[] = [
  'run.sandbox.output',
  'escalation.updated',
  'router.health',
  'routine.updated',
  'routine.deleted',
  'routine.run',
  'budget.warning',
  'budget.exhausted',
  'subscription.updated',
  'invoice.updated',
  'stream.gap',
  'suggestion.created',
  'connector.updated',
  'connector.webhook',
  'knowledge.goal.updated',
  'fact.written',
  'rule.updated',
  'hint.due',
  'log.written',
  'webhook.delivery',
  'channel.delivery',
  'channel.inbound',
  'import.updated',
  'handoff.created',
  'handoff.claimed',
  'audit.recorded',
  'maintenance.updated',
  'system.queue',
  'memory.written',
  'memory.archived',
  'memory.linked',
  'memory.recalled',
  'project.updated',
  'org.unit.updated',
  'doc.updated',
  'doc.published',
  'doc.deleted',
  'sitebuild.updated',
  'task.created',
  'task.updated',
  'task.deleted',
  'task.comment',
  'training.run.updated',
  'bot.updated',
];

const types = new Map(spec.events.map((event) => [event.type, event]));
let stage: Stage;
beforeAll(async () => {
  stage = await openStage({}, hastyUpTo(5000));
});
afterAll(() => stage.close());

it('knows where each event is told', () => {
  expect([...told, ...elsewhere].sort()).toEqual(Object.keys(eventTypes).sort());
});

/** `run:42` as the interface names it. */
const patternOf = (topic: string) => topic.replace(/:\d+$/, ':*');

it('every event is one of the interface, on a topic that it belongs to, with the payload it promises', async () => {
  const { client } = stage.server;
  const seen: RawEvent[] = [];
  const streams = new Set<{ close(): void }>();
  const follow = (reader: Client, ...topics: string[]) => {
    for (const topic of topics) {
      const stream = reader.stream(topic, { cursor: '0', transport: 'sse', follow: true });
      streams.add(stream);
      void (async () => {
        for await (const event of stream) seen.push(event as unknown as RawEvent);
      })();
    }
  };
  follow(client, 'runs', 'escalations', 'identities', 'router', 'system', 'me', 'chats');

  const hired = await client.identities.create({ body: { name: 'Busy' } });
  const { rawKey } = await client.identityKeys.create({ params: { identityId: hired.id }, body: { name: 'socket' } });
  const spare = await client.identities.create({ body: { name: 'Spare' } });
  await client.identities.remove({ params: { id: spare.id } });
  follow(createClient({ baseUrl: stage.server.url, token: rawKey }), `identity:${hired.id}`, `inbox:${hired.id}`);
  const socket = await connectAgent(stage.server.url, rawKey);
  await socket.register(weatherTool);
  stage.cast({
    busy: [
      {
        text: ['I begin.'],
        calls: [
          ['run_note', { content: 'noted' }],
          ['run_progress', { summary: 'begun' }],
        ],
      },
      {
        calls: [
          ['task_create', { title: 'Do it' }],
          ['message_send', { to: 'Administrator', content: 'Hello' }],
        ],
      },
      { calls: [['council_convene', { question: 'Shall I?', participants: [{ name: 'A' }, { name: 'B' }] }]] },
      { calls: [['run_escalate', { situation: 'May I?', options: ['Yes', 'No'] }]] },
      { text: ['Done.'] },
    ],
    broken: [{ calls: [['run_fail', { reason: 'It is broken.' }]] }],
    talk: [{ text: ['I talk.'] }],
  });
  const run = await client.agentRuns.create({ body: { goal: 'Busy with it', identityId: hired.id } });
  follow(client, `run:${run.id}`, `run-tree:${run.id}`);
  await client.agentMessages.create({ params: { runId: run.id }, body: { content: 'Be quick.' } });
  await client.agentRuns.patch({ params: { id: run.id }, body: { goal: 'Busy with all of it' } });
  await client.agentRuns.start({ params: { id: run.id } });
  const question = await stage.question(run.id);
  await client.agentEscalations.resolve({ params: { id: question.id }, body: { decision: 'Yes' } });
  await stage.end(run.id);
  await client.agentFeedback.create({ params: { runId: run.id }, body: { rating: 'Good' } });
  await expect.poll(() => seen.some(({ type }) => type === 'tree.quiesced'), { timeout: 20_000 }).toBe(true);
  await expect.poll(() => seen.some(({ type }) => type === 'run.feedback'), { timeout: 20_000 }).toBe(true);
  await client.agentRuns.remove({ params: { id: run.id } });
  socket.cut();
  const broken = await client.agentRuns.create({ body: { goal: 'Broken' } });
  follow(client, `run:${broken.id}`);
  await client.agentRuns.start({ params: { id: broken.id } });
  const session = await client.chat.create({ body: {} });
  follow(client, `chat:${session.id}`);
  await client.chat.ask({ params: { sessionId: session.id }, body: { message: 'Talk to me' } });
  await client.chat.remove({ params: { id: session.id } });

  const missing = () => told.filter((type) => !seen.some((event) => event.type === type));
  await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
  for (const stream of streams) stream.close();
  for (const { type, topic, data } of seen) {
    if (type === 'stream.gap') continue;
    expect(types.get(type)?.topics, `${type} on ${topic}`).toContain(patternOf(topic));
    expect([type, eventTypes[type as EventTypeName].data.safeParse(data).error?.issues]).toEqual([type, undefined]);
  }
}, 90_000);

// The AsyncAPI document says what is declared, once.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { event } from '../event.ts';
import { dto, string } from '../types.ts';
import { buildAsyncApi } from './document.ts';

const Note = dto('NoteDto', { text: string });
const frame = dto('RealtimeEventDto', { type: string, data: z.unknown() });
const document = buildAsyncApi(
  {
    'run.note': event.kept(Note, ['run:*', 'runs'], 'A run has a new note.'),
    'run.delta': event.passing(Note, ['run:*'], 'A piece.', { terminal: true }),
    'stream.gap': event.passing(Note, [], 'A gap.'),
  },
  [
    { pattern: 'runs', needs: 'RunsRead' },
    { pattern: 'run:*', needs: 'RunsRead' },
    { pattern: 'me', needs: 'self' },
  ],
  { version: '1', frame },
  // biome-ignore lint/suspicious/noExplicitAny: a document of JSON
) as any;

test('each kind of topic that anything travels on is a channel with its events', () => {
  expect(Object.keys(document.channels)).toEqual(['runs', 'run']);
  expect(document.channels.run).toMatchObject({ address: 'run:{id}', parameters: { id: {} } });
  expect(Object.keys(document.channels.run.messages)).toEqual(['run.note', 'run.delta']);
  expect(Object.keys(document.channels.runs.messages)).toEqual(['run.note']);
});

test('each event is one message, the frame with its own type and data', () => {
  const { messages, schemas } = document.components;
  expect(Object.keys(messages)).toEqual(['run.note', 'run.delta', 'stream.gap']);
  expect(messages['run.note'].payload.allOf[1].properties).toEqual({
    type: { const: 'run.note' },
    data: { $ref: '#/components/schemas/NoteDto' },
  });
  expect(messages['run.note']).toMatchObject({ summary: 'A run has a new note.', 'x-durable': true });
  expect(messages['run.delta']).toMatchObject({ 'x-durable': false, 'x-terminal': true });
  expect(Object.keys(schemas).sort()).toEqual(['NoteDto', 'RealtimeEventDto']);
});

// What a link shows of the files that commands changed.
import { expect, it } from 'vitest';
import type { AgentEvent, RunRecord } from '../../../runtime/records.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createScrub } from './scrubbed.ts';
import { type SharedSources, sharedRun } from './shown-live.ts';

const files = [
  { path: 'a.txt', changeType: 'Added', sizeBytes: 5, text: 'inner' },
  { path: 'b.txt', changeType: 'Deleted' },
];
const event = {
  ...{ seq: 1, type: 'FileChanged', title: 'a.txt and 1 more', message: null, createdAt: 0 },
  payloadJson: JSON.stringify({ by: 'shell_exec', files }),
} as AgentEvent;
const run = { id: 1, tenantId: 1, status: 'Completed', goal: 'Go', failureReason: null } as RunRecord;

it.each([true, false])('has the texts of changed files where the link includes files: %s', async (hasFiles) => {
  const sources = {
    getRun: async () => ({ ...run, progressSummary: null, createdAt: 0, startedAt: null, completedAt: null }),
    engine: { events: async (_: number, { afterSeq = 0 }) => (afterSeq === 0 ? [event] : []) },
    clock: new SimulatedClock(),
  } as unknown as SharedSources;
  const how = { afterSeq: 0, scrub: createScrub(), signal: AbortSignal.abort(), hasFiles };
  const { value: first } = await sharedRun(sources, run, how).next();
  const [{ text: _, ...named }, removed] = files as [(typeof files)[0], (typeof files)[0]];
  expect(JSON.parse(first?.event?.payloadJson ?? '')).toEqual({
    by: 'shell_exec',
    files: hasFiles ? files : [named, removed],
  });
});

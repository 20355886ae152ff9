import { expect, it } from 'vitest';
import type { AgentEvent, RunRecord } from '../../runtime/records.ts';
import type { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import { createDeliverableCheck } from './deliverables.ts';

const log = [
  { type: 'MessageSent', title: 'To Maria', payloadJson: '{"messageId":4}' },
  { type: 'TaskCreated', title: 'Buy milk', payloadJson: '{"taskId":12}' },
  { type: 'TaskUpdated', title: 'Task 13', payloadJson: null },
] as AgentEvent[];
const check = createDeliverableCheck({
  sandboxes: {} as RunSandboxes,
  eventsOf: async (_, { types }) => log.filter(({ type }) => types?.includes(type)),
  documentBy: async ({ projectId }, target) =>
    projectId == null ? null : { met: target === 'written', detail: `document ${target}` },
});
const run = (contractDestination: string, deliverable: string | null = null) =>
  ({
    id: 1,
    contractDeliverable: 'It',
    contractDestination,
    reviewWorktreePath: null,
    result: deliverable === null ? null : { summary: '', deliverable },
  }) as RunRecord;

it.each([
  ['message:maria', true],
  ['message:', true],
  ['message:4', true],
  ['message:otto', false],
  ['task:12', true],
  ['task:milk', true],
  ['task:1', false],
  ['fact:weather', false],
  ['doc:notes', false],
  ['file:a.txt', false],
  ['branch:main', false],
])('%s: %s, by what the log shows', async (destination, met) => {
  expect(await check(run(destination))).toMatchObject({ hasContract: true, met });
});

it('takes the run’s word for facts and documents, and for nothing else', async () => {
  const word = async (destination: string) => (await check(run(destination, 'There it is'))).met;
  expect(await Promise.all(['fact:x', 'doc:x', 'task:x', 'message:x', 'file:x'].map(word))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

it('looks for the document of a run that works in a project, whatever the run says', async () => {
  const inProject = (target: string) => ({ ...run(`doc:${target}`, 'I wrote it'), projectId: 7 });
  expect(await check(inProject('written'))).toMatchObject({ met: true, detail: 'document written' });
  expect(await check(inProject('other'))).toMatchObject({ met: false });
});

// The tools of runs for the tasks of their project.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const data = async (method: string, path: string, body?: unknown) => {
  const answer = await stage.server.call(method, `/api${path}`, body);
  expect(answer.body.error ?? null).toBeNull();
  return answer.body.data;
};

it('send what a comment says to those whom it mentions', async () => {
  const { id: projectId } = await data('POST', '/projects', { name: 'Tools' });
  const { id: taskId } = await data('POST', `/projects/${projectId}/tasks`, { title: 'Paint' });
  const bob = await data('POST', '/identities', { name: 'Bob', type: 'AI' });
  const comment: [string, object] = ['task_comment', { taskId, content: '@Bob, red or blue?' }];
  stage.cast({ comment: [{ calls: [comment] }, { calls: [['run_complete', { summary: 'Asked.' }]] }] });
  const run = await stage.start('Comment on it', { projectId });
  expect((await stage.end(run.id)).status).toBe('Completed');
  const { items } = await data('GET', `/tasks/${taskId}/comments`);
  expect(items).toMatchObject([{ runId: run.id, mentionIdentityIds: [bob.id] }]);
  const mail = await data('GET', `/messages/inbox?identityId=${bob.id}`);
  expect(mail.items).toMatchObject([{ projectId, content: expect.stringContaining('red or blue?') }]);
});

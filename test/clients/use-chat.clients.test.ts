// The AI SDK's useChat against `/api/chat/ui`, in the three versions that are in use.
import { expect, it } from 'vitest';
import { approvalFlow } from './approvals.ts';
import { commonFlows, describeClient, stopFlow } from './suite.ts';

const expected = { errors: { key: 'Error', model: 'Error', timeout: '' } };

for (const version of [5, 6, 7]) {
  const set = `npm-ai-${version}`;
  describeClient({ name: 'useChat', set, package: '@ai-sdk/react', program: 'use-chat-client.mjs' }, (world) => {
    commonFlows(world, expected);
    stopFlow(world);
    it('resume', async () => {
      const { model, program } = world();
      model.reply({ text: ['One', ' two', ' three'], stallAfter: 3 });
      program.begin('resume');
      expect(await program.next()).toEqual({ cut: true });
      model.release();
      expect(await program.next()).toEqual({ text: 'One two three', messages: 2 });
      expect(model.aborted).toBe(0);
    });
    const denied = version === 5 ? 'output-error' : 'output-denied';
    approvalFlow(world, {
      approved: { text: 'Rain.', state: 'output-available', messages: 2 },
      denied: { text: 'Rain.', state: denied, messages: 2 },
    });
  });
}

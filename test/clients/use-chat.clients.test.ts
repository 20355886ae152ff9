// The AI SDK's useChat against `/api/chat/ui`, in the three versions that are in use.
import { approvalFlow } from './approvals.ts';
import { commonFlows, describeClient, keptReplyFlow, stopFlow, timeoutFlow } from './suite.ts';

const expected = { errors: { key: 'Error', model: 'Error', timeout: 'TimeoutError' } };

for (const version of [5, 6, 7]) {
  const set = `npm-ai-${version}`;
  describeClient({ name: 'useChat', set, package: '@ai-sdk/react', program: 'use-chat-client.mjs' }, (world) => {
    commonFlows(world, expected);
    stopFlow(world);
    timeoutFlow(world, expected);
    keptReplyFlow(world);
    const denied = version === 5 ? 'output-error' : 'output-denied';
    approvalFlow(world, {
      approved: { text: 'Rain.', state: 'output-available', messages: 2 },
      denied: { text: 'Rain.', state: denied, messages: 2 },
    });
  });
}

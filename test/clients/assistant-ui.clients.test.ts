// assistant-ui with its runtime for the AI SDK, whose own names of threads begin sessions of the server.
import { approvalFlow } from './approvals.ts';
import { commonFlows, describeClient, keptReplyFlow, stopFlow, timeoutFlow } from './suite.ts';

const client = {
  name: 'assistant-ui',
  set: 'npm-assistant-ui',
  package: '@assistant-ui/react',
  program: 'assistant-ui-client.mjs',
};
const expected = { errors: { key: 'Error', model: 'Error', timeout: 'TimeoutError' } };
describeClient(client, (world) => {
  commonFlows(world, expected);
  stopFlow(world);
  timeoutFlow(world, expected);
  keptReplyFlow(world);
  approvalFlow(world, { approved: { text: 'Rain.', approved: true }, denied: { text: 'Rain.', approved: false } });
});

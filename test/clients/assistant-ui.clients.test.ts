// assistant-ui with its runtime for the AI SDK, whose own names of threads begin sessions of the server.
import { commonFlows, describeClient } from './suite.ts';

const client = {
  name: 'assistant-ui',
  set: 'npm-assistant-ui',
  package: '@assistant-ui/react',
  program: 'assistant-ui-client.mjs',
};
describeClient(client, (world) => commonFlows(world, { errors: { key: 'Error', model: 'Error', timeout: '' } }));

// The official @anthropic-ai/sdk package of npm.
import { anthropicFlows, describeClient } from './suite.ts';

const client = {
  name: 'npm @anthropic-ai/sdk',
  set: 'npm',
  package: '@anthropic-ai/sdk',
  program: 'anthropic-client.mjs',
};
describeClient(client, (world) => {
  anthropicFlows(world, { key: 'AuthenticationError', model: 'NotFoundError', timeout: 'APIConnectionTimeoutError' });
});

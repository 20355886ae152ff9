// The official anthropic package for Python.
import { anthropicFlows, describeClient } from './suite.ts';

const client = { name: 'python anthropic', set: 'python', package: 'anthropic', program: 'anthropic_client.py' };
describeClient(client, (world) => {
  anthropicFlows(world, { key: 'AuthenticationError', model: 'NotFoundError', timeout: 'APITimeoutError' });
});

// litellm, as it calls an OpenAI-compatible server.
import { commonFlows, describeClient, stopFlow, structuredFlow, timeoutFlow } from './suite.ts';

const expected = { errors: { key: 'AuthenticationError', model: 'NotFoundError', timeout: 'Timeout' } };

describeClient(
  { name: 'litellm', set: 'python-litellm', package: 'litellm', program: 'litellm_client.py' },
  (world) => {
    commonFlows(world, expected);
    structuredFlow(world);
    stopFlow(world);
    timeoutFlow(world, expected);
  },
);

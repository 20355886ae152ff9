// langchain-openai.
import { commonFlows, describeClient, stopFlow, structuredFlow, timeoutFlow } from './suite.ts';

const expected = { errors: { key: 'AuthenticationError', model: 'NotFoundError', timeout: 'APITimeoutError' } };

describeClient(
  { name: 'langchain-openai', set: 'python-langchain', package: 'langchain-openai', program: 'langchain_client.py' },
  (world) => {
    commonFlows(world, expected);
    structuredFlow(world);
    stopFlow(world);
    timeoutFlow(world, expected);
  },
);

// llm, whose errors are those of the openai package.
import { commonFlows, describeClient, stopFlow, structuredFlow } from './suite.ts';

const expected = { errors: { key: 'AuthenticationError', model: 'NotFoundError', timeout: '' } };

describeClient({ name: 'llm', set: 'python', package: 'llm', program: 'llm_client.py' }, (world) => {
  commonFlows(world, expected);
  structuredFlow(world, { name: 'output', strict: null });
  stopFlow(world);
});

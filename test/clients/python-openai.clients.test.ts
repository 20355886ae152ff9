// The official openai package for Python: the first of its line that has structured outputs, and a new one.
import { expect, it } from 'vitest';
import { commonFlows, describeClient, resumeFlow, stopFlow, structuredFlow, timeoutFlow } from './suite.ts';

const expected = {
  errors: { key: 'AuthenticationError', model: 'NotFoundError', timeout: 'APITimeoutError' },
};
const program = 'openai_client.py';

describeClient({ name: 'python openai', set: 'python-openai-first', package: 'openai', program }, (world) => {
  commonFlows(world, expected);
  structuredFlow(world);
  stopFlow(world);
  timeoutFlow(world, expected);
});

describeClient({ name: 'python openai', set: 'python', package: 'openai', program }, (world) => {
  commonFlows(world, expected);
  structuredFlow(world);
  stopFlow(world);
  timeoutFlow(world, expected);
  resumeFlow(world);
  it('responses, kept and streamed', async () => {
    const told = await world().program.do('respond');
    expect(told).toEqual({ text: 'Hello world', first: 'response.created', last: 'response.completed' });
  });
  it('embeddings of tokens', async () => {
    expect(await world().program.do('embed')).toEqual({ length: 64 });
  });
});

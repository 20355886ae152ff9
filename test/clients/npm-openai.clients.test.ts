// The official openai package of npm, in both versions that are in use.
import { expect, it } from 'vitest';
import { commonFlows, describeClient, resumeFlow, stopFlow, structuredFlow, timeoutFlow } from './suite.ts';

const expected = {
  errors: { key: 'AuthenticationError', model: 'NotFoundError', timeout: 'APIConnectionTimeoutError' },
};

for (const set of ['npm-openai-6', 'npm'])
  describeClient({ name: 'npm openai', set, package: 'openai', program: 'openai-client.mjs' }, (world) => {
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

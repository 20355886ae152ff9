// The AI SDK, in the three versions that are in use, with @ai-sdk/openai as it comes.
import { expect, it } from 'vitest';
import { commonFlows, describeClient, stopFlow, timeoutFlow } from './suite.ts';

const expected = { errors: { key: 'AI_APICallError', model: 'AI_APICallError', timeout: 'TimeoutError' } };
const call = { id: 'call_1', name: 'weather', arguments: ['{"city":"Bergen"}'] };

for (const version of [5, 6, 7])
  describeClient({ name: 'AI SDK', set: `npm-ai-${version}`, package: 'ai', program: 'ai-sdk-client.mjs' }, (world) => {
    commonFlows(world, expected);
    stopFlow(world);
    timeoutFlow(world, expected);
    it('structured output', async () => {
      const { model, program } = world();
      model.reply({ text: ['{"city":', '"Bergen"}'] });
      expect(await program.do('structured')).toEqual({ value: { city: 'Bergen' } });
      expect(model.requests[0]?.body.response_format.json_schema.schema.required).toEqual(['city']);
    });
    it('goes on with a conversation by reference', async () => {
      const { model, program } = world();
      model.reply({ text: ['One.'] }, { text: ['Two.'] });
      expect(await program.do('turns')).toEqual({ texts: ['One.', 'Two.'], referred: true });
      expect(model.requests[1]?.body.messages).toMatchObject([{}, { role: 'assistant', content: 'One.' }, {}]);
    });
    // Version 5 has no approvals.
    it.skipIf(version === 5)('asks for an approval of its own', async () => {
      const { model, program } = world();
      model.reply({ toolCalls: [call] }, { text: ['Rain.'] });
      expect(await program.do('approve')).toEqual({ before: 0, called: [{ city: 'Bergen' }], text: 'Rain.' });
    });
  });

// The official openai-java package.
import { commonFlows, describeClient, resumeFlow, stopFlow, structuredFlow, timeoutFlow } from './suite.ts';

const expected = {
  errors: { key: 'UnauthorizedException', model: 'NotFoundException', timeout: 'OpenAIIoException' },
};
const client = { name: 'openai-java', set: 'java', package: 'com.openai:openai-java', program: 'java/Client.java' };

describeClient(client, (world) => {
  commonFlows(world, expected);
  structuredFlow(world);
  stopFlow(world);
  timeoutFlow(world, expected);
  resumeFlow(world);
});

// The official openai-go package.
import { commonFlows, describeClient, resumeFlow, stopFlow, structuredFlow, timeoutFlow } from './suite.ts';

const expected = {
  errors: { key: 'openai.Error', model: 'openai.Error', timeout: 'context.DeadlineExceeded' },
};

describeClient({ name: 'openai-go', set: 'go', package: 'github.com/openai/openai-go/v3' }, (world) => {
  commonFlows(world, expected);
  structuredFlow(world);
  stopFlow(world);
  timeoutFlow(world, expected);
  resumeFlow(world);
});

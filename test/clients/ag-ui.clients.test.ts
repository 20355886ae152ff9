// AG-UI's client with its verifier, straight against `/api/chat/ag-ui` and through a runtime of CopilotKit.
import { expect, it } from 'vitest';
import { approvalFlow } from './approvals.ts';
import { type ClientWorld, commonFlows, describeClient, keptReplyFlow, stopFlow, timeoutFlow } from './suite.ts';

const expected = { errors: { key: 'Error', model: 'Error', timeout: 'RUN_ERROR abort' } };
const program = 'ag-ui-client.mjs';

function flows(world: () => ClientWorld): void {
  commonFlows(world, expected);
  stopFlow(world);
  timeoutFlow(world, expected);
  it('context, state and instructions', async () => {
    const { program, model } = world();
    model.reply({ text: ['Yes.'] });
    expect(await program.do('describe')).toEqual({ text: 'Yes.' });
    expect(model.requests[0]?.body.messages[0].content).toMatch(/Be brief\.[\s\S]*Norwegian[\s\S]*"zoom":3/);
  });
  const decided = { outcome: 'interrupt', text: 'Rain.', last: 'success' };
  approvalFlow(world, { approved: decided, denied: decided });
}

describeClient({ name: 'AG-UI', set: 'npm-copilotkit', package: '@ag-ui/client', program }, flows);
describeClient(
  {
    name: 'CopilotKit',
    set: 'npm-copilotkit',
    package: '@copilotkit/runtime',
    program,
    with: ['copilotkit-runtime.mjs'],
    args: ['--copilotkit'],
  },
  (world) => {
    flows(world);
    keptReplyFlow(world);
  },
);

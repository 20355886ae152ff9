import { expect, it } from 'vitest';
import type { AgentRunDto } from '../../../client/index.ts';
import { startCode } from './start-code.ts';

const goal = `It's "here" $HOME \`id\`\n'; rm -rf \\ true\n}`;
const run = {
  ...{ goal, role: 'worker', roleDefinitionId: null, toolProfileName: null, modelId: 'fake:small' },
  ...{ reasoningEffort: null, maxIterations: 5, maxTokens: 900, maxWallClockMs: 0, contextBudgetTokens: 0 },
  ...{ poolIterationBudget: 0, poolTokenBudget: 7000, poolCostBudgetUsd: 0.5, parentRunId: null },
} as AgentRunDto;
const own = { goal, role: 'worker', modelId: 'fake:small', maxIterations: 5, maxTokens: 900, autoStart: true };
const whole = { ...own, poolTokenBudget: 7000, poolCostBudgetUsd: 0.5 };
const url = 'http://here/api/agent/runs';

it('JavaScript sends it, and a child draws on no pool of its own', async () => {
  const sent: unknown[] = [];
  const fetch = async (to: string, { body }: { body: string }) => {
    sent.push(to, JSON.parse(body));
    return { json: async () => null };
  };
  const { javaScript } = startCode({ ...run, parentRunId: 1 }, 'http://here');
  await new Function('fetch', 'console', `return (async () => {${javaScript}})()`)(fetch, { log: () => null });
  expect(sent).toEqual([url, own]);
});

it('Python has the same values as its own', () => {
  const { python } = startCode(run, 'http://here');
  const literal = /^body = (\{.*?\n\})$/ms.exec(python)?.[1] ?? '';
  expect(literal).toContain('"autoStart": True\n');
  expect(JSON.parse(literal.replace(/True\n\}$/, 'true\n}'))).toEqual(whole);
});

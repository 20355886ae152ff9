// Tools of parts, as runs and chats call them.
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { SessionRecord } from '../../runtime/chat/records.ts';
import type { RunRecord } from '../../runtime/records.ts';
import type { PartTool, ToolCaller } from './part.ts';
import { toolsForChat, toolsForRuns } from './part-tools.ts';

const callers: ToolCaller[] = [];
const tool: PartTool = {
  name: 'lamp_dim',
  displayName: 'Dim a lamp',
  description: 'Dims it.',
  category: 'lamp',
  source: 'BuiltIn',
  risk: 'Safe',
  sandboxed: false,
  input: z.unknown(),
  handler: async (input, caller) => {
    callers.push(caller);
    return `dimmed ${JSON.stringify(input)}`;
  },
};
const call = { toolCallId: 'c1', idempotencyKey: 'k1', signal: new AbortController().signal };

it('are called with whom they are called for', async () => {
  const run = { id: 7, rootRunId: 5, knownAt: 1000, tenantId: 1, identityId: 3, projectId: 4 } as RunRecord;
  const [ofRun] = await toolsForRuns([tool]).forRun(run);
  expect(ofRun).toMatchObject({ name: 'lamp_dim', description: 'Dims it.' });
  expect(await ofRun?.handler(5, { ...call, run, progress: () => {} })).toEqual({ content: 'dimmed 5' });
  const session = { id: 9, tenantId: 1, identityId: null, projectId: null } as SessionRecord;
  const [ofChat] = toolsForChat([tool], session, async () => {});
  expect(await ofChat?.handler(6, { ...call, session })).toEqual({ content: 'dimmed 6' });
  expect(callers).toEqual([
    {
      ...call,
      tenantId: 1,
      identityId: 3,
      projectId: 4,
      runId: 7,
      chatSessionId: null,
      rootRunId: 5,
      horizon: { recordedBy: new Date(1000), rootRunId: 5 },
    },
    {
      ...call,
      tenantId: 1,
      identityId: null,
      projectId: null,
      runId: null,
      chatSessionId: 9,
      rootRunId: null,
      horizon: null,
    },
  ]);
});

it('say what they recalled: a run with the result, a chat to whoever follows it', async () => {
  const item = { source: 'MemorySearch', kind: 'memory', id: 4, why: 'It matches.', tokens: 3 };
  const recalling: PartTool = { ...tool, handler: async () => ({ content: 'known', recalled: [item] }) };
  const [ofRun] = await toolsForRuns([recalling]).forRun({ id: 7 } as RunRecord);
  expect(await ofRun?.handler(5, { ...call, run: { id: 7 } as RunRecord, progress: () => {} })).toEqual({
    content: 'known',
    events: [{ type: 'MemoryRecalled', title: 'Recalled 1, about 3 tokens', payload: { tokens: 3, items: [item] } }],
  });
  const told: unknown[] = [];
  const session = { id: 9 } as SessionRecord;
  const [ofChat] = toolsForChat([recalling], session, async (_, items) => void told.push(items));
  expect(await ofChat?.handler(6, { ...call, session })).toEqual({ content: 'known' });
  expect(told).toEqual([[item]]);
});

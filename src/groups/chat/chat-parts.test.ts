// A chat reply read as one answer: joined, cut or recovered deltas come to the same words, each once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part } from '../formats/parts.ts';
import { chatParts } from './chat-parts.ts';
import type { ChatMessageDto, ChatStreamEventDto, ChatToolCallDto } from './dto.ts';

const event = (type: ChatStreamEventDto['type'], more: object = {}) => ({
  id: '1.1',
  event: {
    type,
    sessionId: 3,
    messageId: 7,
    delta: null,
    toolCall: null,
    message: null,
    ...more,
  } as ChatStreamEventDto,
});
const message = (content: string, reasoningContent: string | null = null, state = 'Complete') =>
  ({ content, reasoningContent, state, modelId: 'm', promptTokens: 1, completionTokens: 2 }) as ChatMessageDto;
const toolCall = (status: ChatToolCallDto['status'], more: object = {}) => ({
  toolCall: {
    id: 'call_1',
    name: 'look',
    argumentsJson: '{}',
    resultJson: null,
    status,
    escalationId: null,
    asks: null,
    ...more,
  },
});
const read = (items: ReturnType<typeof event>[]): Part[] => items.flatMap(chatParts());
const words = (parts: Part[], type: 'text' | 'reasoning') =>
  parts.map((part) => (part.type === type ? part.delta : '')).join('');

describe('a chat reply as one answer', () => {
  it('says each word once, however its deltas come', () => {
    const cuts = fc.array(fc.nat(20));
    fc.assert(
      fc.property(
        fc.string({ maxLength: 20 }),
        fc.string({ maxLength: 20 }),
        cuts,
        fc.nat(20),
        (thought, said, at, lost) => {
          const pieces = (text: string, type: 'ContentDelta' | 'ReasoningDelta') => {
            const edges = [0, ...at.map((one) => one % (text.length + 1)).sort((a, b) => a - b), text.length];
            return edges.slice(1).map((end, n) => event(type, { delta: text.slice(edges[n], end) }));
          };
          const heard = [...pieces(thought, 'ReasoningDelta'), ...pieces(said, 'ContentDelta')];
          const end = event('Completed', { message: message(said, thought) });
          const whole = read([event('Started', { message: message('') }), ...heard, end]);
          expect([words(whole, 'reasoning'), words(whole, 'text')]).toEqual([thought, said]);
          // Some are not kept any more: the reply as it stands comes again, and what is still to be said.
          const rest = said.slice(lost % (said.length + 1));
          const sofar = message(said.slice(0, said.length - rest.length), thought, 'Streaming');
          const late = read([event('Started', { message: sofar }), event('ContentDelta', { delta: rest }), end]);
          expect([words(late, 'reasoning'), words(late, 'text')]).toEqual([thought, said]);
          expect([whole.at(-1)?.type, late.at(-1)?.type]).toEqual(['finish', 'finish']);
        },
      ),
    );
  });

  it('tells a tool call once, whatever becomes of it, and the next one of its id apart', () => {
    const parts = read([
      event('Started'),
      event('ToolCall', toolCall('Pending')),
      event('ToolCall', toolCall('AwaitingApproval', { escalationId: 9 })),
      event('ToolCall', toolCall('Running')),
      event('ToolResult', toolCall('Succeeded', { resultJson: '1' })),
      event('ContentDelta', { delta: 'Again.' }),
      event('ToolCall', toolCall('Pending')),
      event('ToolResult', toolCall('Blocked', { resultJson: 'no' })),
    ]);
    expect(parts.slice(2)).toEqual([
      { type: 'tool-call', id: 'call_1', name: 'look', argumentsJson: '{}' },
      { type: 'tool-approval', id: 'call_1', approvalId: '9' },
      { type: 'tool-result', id: 'call_1', output: '1', isError: false },
      { type: 'step-end' },
      { type: 'step-start' },
      { type: 'text', delta: 'Again.' },
      { type: 'tool-call', id: 'call_1-2', name: 'look', argumentsJson: '{}' },
      { type: 'tool-result', id: 'call_1-2', output: 'no', isError: true },
    ]);
  });

  it('says what a tool asks a person, and where that is answered, and pauses', () => {
    const asks = { escalationId: 9, asks: 'elicitation' };
    const parts = read([
      event('Started'),
      event('ToolCall', toolCall('AwaitingApproval', asks)),
      event('Ping', { message: message('', null, 'Streaming') }),
    ]);
    expect(parts.slice(3)).toEqual([
      {
        ...{ type: 'data', name: 'question', id: 'question-9' },
        data: {
          ...{ toolCallId: 'call_1', escalationId: 9, kind: 'elicitation' },
          answerWith: 'POST /api/agent/escalations/9/resolve',
        },
      },
      { type: 'text', delta: expect.stringContaining('POST /api/agent/escalations/9/resolve') },
      { type: 'wait', approvals: [], clientCalls: [] },
    ]);
  });

  it('ends as the reply ends', () => {
    const last = (item: ReturnType<typeof event>) => read([event('Started'), item]).at(-1);
    expect(last(event('Completed', { message: message('', null, 'Stopped') }))).toMatchObject({ type: 'abort' });
    expect(last(event('Error', { error: 'It broke.', errorCode: 'PROVIDER_ERROR', hint: 'Try again.' }))).toEqual({
      type: 'error',
      message: 'It broke. Try again.',
      code: 'PROVIDER_ERROR',
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { ChatMessageDto, ChatStreamEventDto, ChatToolCallDto } from '../../client/index.ts';
import { advance, noWords } from './reply.ts';

const event = (type: ChatStreamEventDto['type'], index: number, more: Partial<ChatStreamEventDto> = {}) =>
  ({
    type,
    index,
    sessionId: 1,
    messageId: 2,
    delta: null,
    toolCall: null,
    message: null,
    ...more,
  }) as ChatStreamEventDto;
const message = (content: string) => ({ id: 2, content, reasoningContent: null, toolCalls: null }) as ChatMessageDto;
const call = (status: ChatToolCallDto['status']) => ({ id: 'c1', name: 'look', status }) as ChatToolCallDto;
const play = (...events: ChatStreamEventDto[]) => events.reduce(advance, noWords);

describe('a reply that streams', () => {
  it('joins its words, its thoughts and its tool calls', () => {
    const reply = play(
      event('Started', 0, { message: message('') }),
      event('ReasoningDelta', 1, { delta: 'Hm. ' }),
      event('ContentDelta', 2, { delta: 'It is ' }),
      event('ToolCall', 3, { toolCall: call('Running') }),
      event('ToolResult', 4, { toolCall: call('Succeeded') }),
      event('ContentDelta', 5, { delta: '42.' }),
    );
    expect(reply).toMatchObject({ text: 'It is 42.', reasoning: 'Hm. ', index: 5 });
    expect(reply.tools.map((one) => one.status)).toEqual(['Succeeded']);
  });

  it('takes no event twice when it is joined again', () => {
    const words = event('ContentDelta', 1, { delta: 'once' });
    const started = event('Started', 0, { message: message('') });
    expect(play(started, words, started, words).text).toBe('once');
  });

  it('begins anew where events in between were not kept', () => {
    const reply = play(
      event('Started', 0, { message: message('') }),
      event('ContentDelta', 1, { delta: 'Half' }),
      event('Started', 4, { message: message('Half a sentence ') }),
      event('ContentDelta', 5, { delta: 'more.' }),
    );
    expect(reply.text).toBe('Half a sentence more.');
  });

  it('goes on where an interrupted reply had ended', () => {
    const reply = play(
      event('Started', 7, { message: message('Half a ') }),
      event('ContentDelta', 8, { delta: 'sentence.' }),
    );
    expect(reply.text).toBe('Half a sentence.');
  });
});

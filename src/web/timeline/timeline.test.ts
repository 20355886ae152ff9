import { describe, expect, it } from 'vitest';
import type { AgentEventDto, AgentEventType, RunDeltaDto } from '../../client/index.ts';
import { createTimeline, entryAt } from './timeline.ts';

let seq = 0;
function event(type: AgentEventType, more: Partial<AgentEventDto> = {}): AgentEventDto {
  seq += 1;
  return {
    id: seq,
    guid: '',
    runId: 1,
    rootRunId: 1,
    parentRunId: null,
    seq,
    type,
    level: 'Information',
    iteration: 1,
    title: type,
    message: null,
    toolName: null,
    toolCallId: null,
    modelId: null,
    promptTokens: null,
    completionTokens: null,
    costUsd: null,
    durationMs: null,
    payloadJson: null,
    createdAtUtc: '2026-01-01T00:00:00Z',
    ...more,
  };
}
const delta = (kind: RunDeltaDto['kind'], text: string, toolCallId: string | null = null): RunDeltaDto => ({
  runId: 1,
  rootRunId: 1,
  iteration: 1,
  index: 0,
  kind,
  delta: text,
  toolCallId,
  modelId: 'm',
});

it('finds the entry of each event, also of those that became a part of one', () => {
  const timeline = createTimeline();
  const first = seq + 1;
  const call = { toolName: 'look', toolCallId: 'c1' };
  timeline.push(event('ModelCallStarted'));
  timeline.push(event('ModelCallCompleted', { message: 'Said.' }));
  timeline.push(event('ToolCallStarted', call));
  timeline.push(event('Log'));
  timeline.push(event('ToolCallCompleted', call));
  timeline.push(event('RunCompleted'));
  const found = [0, 1, 2, 3, 4, 5].map((step) => entryAt(timeline, first + step));
  const kinds = found.map((one) => (one?.kind === 'line' ? one.event.type : one?.kind));
  expect(kinds).toEqual(['turn', 'turn', 'tool', 'Log', 'tool', 'RunCompleted']);
});

describe('a timeline', () => {
  it('streams a turn and settles it with what the model said in the end', () => {
    const timeline = createTimeline();
    timeline.push(event('ModelCallStarted', { modelId: 'scripted:demo' }));
    timeline.delta(delta('Reasoning', 'Let me '));
    timeline.delta(delta('Reasoning', 'think.'));
    timeline.delta(delta('Content', 'Hel'));
    expect(timeline.entries).toMatchObject([
      { kind: 'turn', state: 'streaming', reasoning: 'Let me think.', text: 'Hel' },
    ]);
    timeline.push(event('ModelCallCompleted', { message: 'Hello.', completionTokens: 2, durationMs: 40 }));
    expect(timeline.entries).toMatchObject([
      { state: 'done', text: 'Hello.', reasoning: 'Let me think.', durationMs: 40 },
    ]);
  });

  it('shows words that come before their call’s event, as to a viewer who came late', () => {
    const timeline = createTimeline();
    timeline.delta(delta('Content', 'mid sentence'));
    expect(timeline.entries).toMatchObject([{ kind: 'turn', text: 'mid sentence', state: 'streaming' }]);
  });

  it('follows a tool call from its first argument to its result', () => {
    const timeline = createTimeline();
    timeline.delta(delta('ToolArguments', '{"pa', 'a'));
    timeline.delta(delta('ToolArguments', 'th":1}', 'a'));
    expect(timeline.entries).toMatchObject([{ kind: 'tool', state: 'writing', args: '{"path":1}' }]);
    timeline.push(
      event('ToolCallStarted', {
        toolCallId: 'a',
        toolName: 'file_read',
        payloadJson: '{"argumentsJson":"{\\"path\\":1}"}',
      }),
    );
    timeline.push(
      event('ToolCallCompleted', { toolCallId: 'a', toolName: 'file_read', message: 'text', durationMs: 5 }),
    );
    expect(timeline.entries).toMatchObject([
      { name: 'file_read', state: 'done', args: '{"path":1}', result: 'text', durationMs: 5 },
    ]);
  });

  it('shows no call at work after the end of its run, and one that a pause holds back until then', () => {
    const timeline = createTimeline();
    const states = () => timeline.entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.state] : []));
    timeline.push(event('ToolCallStarted', { toolCallId: 'a', toolName: 'run_escalate' }));
    timeline.delta(delta('ToolArguments', '{"pa', 'b'));
    timeline.push(event('RunPaused'));
    expect(states()).toEqual(['running', 'stopped']);
    timeline.push(event('RunCancelled'));
    expect(states()).toEqual(['stopped', 'stopped']);
  });

  it('keeps two calls with the same id apart when a restart repeats it', () => {
    const timeline = createTimeline();
    for (let i = 0; i < 2; i++) {
      timeline.push(event('ToolCallStarted', { toolCallId: 'a', toolName: 'x' }));
      timeline.push(event('ToolCallCompleted', { toolCallId: 'a', toolName: 'x', message: String(i) }));
    }
    expect(timeline.entries).toMatchObject([{ result: '0' }, { result: '1' }]);
    expect(new Set(timeline.entries.map((entry) => entry.key)).size).toBe(2);
  });

  it('replaces an entry by a new object when it changes, and only that one', () => {
    const timeline = createTimeline();
    timeline.push(event('RunStarted'));
    timeline.push(event('ModelCallStarted'));
    const before = [...timeline.entries];
    timeline.delta(delta('Content', 'a'));
    expect(timeline.entries[0]).toBe(before[0]);
    expect(timeline.entries[1]).not.toBe(before[1]);
  });

  it('takes 50,000 events in well under a second', () => {
    const timeline = createTimeline();
    for (let i = 0; i < 25_000; i++) {
      timeline.push(event('ToolCallStarted', { toolCallId: `c${i}`, toolName: 'x' }));
      timeline.push(event('ToolCallCompleted', { toolCallId: `c${i}`, toolName: 'x' }));
    }
    expect(timeline.entries).toHaveLength(25_000);
  });
});

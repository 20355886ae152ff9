// A replay shows each run as its events up to the moment say, forwards, backwards and from anywhere.
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentEventDto, AgentEventType, AgentRunDto } from '../../client/index.ts';
import { createTrack, pushEvent } from '../river/track.ts';
import type { RunView, Tree } from '../state/tree.ts';
import { createTimeline } from '../timeline/timeline.ts';
import { nextAfter, playedTo, stepFrom } from './playhead.ts';
import { replayedFiles } from './replayed-files.ts';
import { ReplayedTree, timesOf } from './replayed-tree.ts';

beforeAll(() => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  return () => vi.unstubAllGlobals();
});

const start = Date.UTC(2026, 0, 1);

interface Said extends Partial<Omit<AgentEventDto, 'payloadJson'>> {
  type: AgentEventType;
  /** Seconds after the start. */
  second: number;
  payload?: object;
}

function viewOf(runId: number, parentRunId: number | null, said: readonly Said[]): RunView {
  const log = said.map(({ second, payload, ...event }, at): AgentEventDto => {
    const blank = { message: null, toolName: null, toolCallId: null, modelId: null, iteration: null, durationMs: null };
    const unused = { promptTokens: null, completionTokens: null, costUsd: null };
    const ids = { id: at, guid: `${runId}-${at}`, runId, rootRunId: 1, parentRunId, seq: at + 1, title: event.type };
    const createdAtUtc = new Date(start + second * 1000).toISOString();
    const payloadJson = payload ? JSON.stringify(payload) : null;
    return { ...blank, ...unused, ...ids, level: 'Information', ...event, payloadJson, createdAtUtc };
  });
  const track = createTrack(runId, parentRunId, start);
  const timeline = createTimeline();
  for (const event of log) {
    pushEvent(track, event);
    timeline.push(event);
  }
  const run = { id: runId, parentRunId, poolTokenBudget: 1000, poolIterationBudget: 0 } as AgentRunDto;
  return { id: runId, run, budget: null, track, timeline, log };
}

const moved = (type: AgentEventType, second: number, from: string, to: string, more: Partial<Said> = {}): Said => ({
  type,
  second,
  payload: { from, to },
  ...more,
});
const called = (second: number, iteration: number, tokens: number): Said[] => [
  { type: 'ModelCallStarted', second, iteration, modelId: 'm' },
  {
    type: 'ModelCallCompleted',
    second: second + 1,
    iteration,
    promptTokens: tokens,
    completionTokens: 1,
    costUsd: 0.5,
  },
];

const parent = [
  moved('RunQueued', 0, 'Pending', 'Queued'),
  moved('RunStarted', 10, 'Queued', 'Running'),
  ...called(11, 1, 100),
  { type: 'ChildSpawned', second: 13, payload: { childRunId: 2 } } satisfies Said,
  moved('RunPaused', 20, 'Running', 'Paused'),
  moved('RunResumed', 50, 'Paused', 'Queued'),
  // What a program tells as progress is no change of status, whatever it looks like.
  { type: 'ProgressUpdated', second: 55, message: 'half', payload: { from: 'Running', to: 'Failed' } } satisfies Said,
  ...called(56, 2, 50),
  moved('RunFailed', 60, 'Running', 'Failed', { message: 'No luck.' }),
];
const child = [moved('RunQueued', 14, 'Pending', 'Queued'), ...called(15, 1, 30)];

const liveTree = (...views: RunView[]): Tree => ({
  rootId: 1,
  error: null,
  gaps: 0,
  version: 0,
  subscribe: () => () => {},
  close: () => {},
  runs: new Map(views.map((view) => [view.id, view])),
});
const family = () => liveTree(viewOf(1, null, parent), viewOf(2, 1, child));

const at = (tree: ReplayedTree, second: number) => {
  tree.moveTo(start + second * 1000);
  return [...tree.runs.values()].map(({ run }) => run as AgentRunDto);
};

describe('a replay', () => {
  it('shows status, use of the tree, time at work and end as they stood', () => {
    const tree = new ReplayedTree(family());
    expect(at(tree, 5)).toMatchObject([{ status: 'Queued', startedAtUtc: null, tokensUsed: 0, completedAtUtc: null }]);
    expect(at(tree, 16.5)).toMatchObject([
      { status: 'Running', iterationsUsed: 1, tokensUsed: 101, totalTokensWithChildren: 132, activeMs: 6500 },
      { status: 'Queued', tokensUsed: 31, totalTokensWithChildren: 31 },
    ]);
    expect(at(tree, 40)[0]).toMatchObject({ status: 'Paused', activeMs: 10_000, progressSummary: null });
    expect(at(tree, 56)[0]).toMatchObject({ status: 'Queued', progressSummary: 'half', failureReason: null });
    expect(at(tree, 99)[0]).toMatchObject({
      status: 'Failed',
      failureReason: 'No luck.',
      costUsd: 1,
      totalCostWithChildren: 1.5,
      iterationsUsed: 2,
      activeMs: 20_000,
    });
  });

  it('is the same from wherever it comes', () => {
    const seconds = fc.array(fc.integer({ min: 0, max: 70 }), { minLength: 1, maxLength: 6 });
    const keys = (tree: ReplayedTree) => tree.runs.get(1)?.timeline.entries.map(({ key }) => key);
    fc.assert(
      fc.property(seconds, (moments) => {
        const tree = new ReplayedTree(family());
        for (const second of moments) {
          const fresh = new ReplayedTree(family());
          expect(at(tree, second)).toEqual(at(fresh, second));
          expect(keys(tree)).toEqual(keys(fresh));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('takes events that come while it is shown', () => {
    const live = family();
    const tree = new ReplayedTree(live);
    expect(at(tree, 99)).toHaveLength(2);
    const late = viewOf(3, 1, [moved('RunQueued', 70, 'Pending', 'Queued')]);
    (live.runs as Map<number, RunView>).set(3, late);
    expect(at(tree, 99).map(({ status }) => status)).toEqual(['Failed', 'Queued', 'Queued']);
  });
});

describe('the playhead', () => {
  const times = [0, 1000, 1000, 100_000];
  it('skips waits, and stops at the last event', () => {
    expect(playedTo(times, 0, 500, 1)).toBe(500);
    expect(playedTo(times, 1000, 100, 1)).toBe(99_700);
    // At fifty times the speed the same wait takes two seconds.
    expect(playedTo(times, 1000, 100, 50)).toBe(6000);
    expect(playedTo(times, 99_950, 100, 1)).toBe(100_000);
    expect(playedTo([], 7, 100, 1)).toBe(7);
  });

  it('steps from event to event', () => {
    expect(nextAfter(times, 1000)).toBe(3);
    expect([stepFrom(times, 0, 1), stepFrom(times, 1000, 1), stepFrom(times, 100_000, 1)]).toEqual([
      1000, 100_000, 100_000,
    ]);
    expect([stepFrom(times, 100_000, -1), stepFrom(times, 1000, -1), stepFrom(times, 0, -1)]).toEqual([1000, 0, 0]);
    expect(timesOf(family())).toEqual([...timesOf(family())].sort((a, b) => a - b));
  });
});

it('files are those that file_write has written and commands have changed, each with its last content', () => {
  const call = (callId: string, second: number, toolName: string, args: object, end = 'ToolCallCompleted'): Said[] => [
    { type: 'ToolCallStarted', second, toolName, toolCallId: callId, payload: { argumentsJson: JSON.stringify(args) } },
    { type: end as AgentEventType, second: second + 1, toolName, toolCallId: callId },
  ];
  const write = (callId: string, second: number, args: object, end?: string) =>
    call(callId, second, 'file_write', args, end);
  const changed = (toolCallId: string, second: number, payload: object): Said => ({
    ...{ type: 'FileChanged', second, toolName: 'shell_exec', toolCallId },
    payload: { by: 'shell_exec', ...payload },
  });
  const files = (...said: Said[]) => {
    const { files, isPartial } = replayedFiles(1, new Map([[1, viewOf(1, null, said)]]));
    return { isPartial, files: files.map(({ path, content, command, sha256 }) => [path, content, command, sha256]) };
  };
  const first = [
    ...write('a', 1, { path: '/workspace/b.md', content: 'one' }),
    ...write('b', 3, { path: './a.md', content: 'two' }),
    ...write('c', 5, { path: 'b.md', content: 'three' }),
    ...write('d', 7, { path: 'c.md', content: 'refused' }, 'ToolCallFailed'),
    ...write('e', 9, { path: 'd.md' }),
    { type: 'FileChanged', second: 9, payload: { path: 'b.md', sizeBytes: 5, by: 'file_write' } } satisfies Said,
  ];
  const written = [
    ['a.md', 'two', null, null],
    ['b.md', 'three', null, null],
  ];
  expect(files(...first)).toEqual({ isPartial: false, files: written });
  const command = call('f', 11, 'shell_exec', { command: 'npm test\nls' });
  const changes = [
    { path: 'a.md', changeType: 'Deleted' },
    { path: 'b.md', changeType: 'Modified', sizeBytes: 4, text: 'four' },
    { path: 'blob', changeType: 'Added', sizeBytes: 9, sha256: 'abc' },
  ];
  expect(files(...first, ...command, changed('f', 12, { files: changes, more: 3 }))).toEqual({
    isPartial: true,
    files: [
      ['b.md', 'four', 'npm test', null],
      ['blob', null, 'npm test', 'abc'],
    ],
  });
});

it('files of a run that was merged into it are there from then on, and what it removed is gone', () => {
  const write = (second: number, path: string, content: string): Said[] => [
    {
      ...{ type: 'ToolCallStarted', second, toolName: 'file_write', toolCallId: path },
      payload: { argumentsJson: JSON.stringify({ path, content }) },
    },
    { type: 'ToolCallCompleted', second, toolName: 'file_write', toolCallId: path },
  ];
  const merged = (second: number, fromRunId: number): Said => ({
    ...{ type: 'FileChanged', second },
    payload: { fromRunId, sha: 'abc' },
  });
  const removed: Said = {
    ...{ type: 'FileChanged', second: 3, toolName: 'shell_exec', toolCallId: 'rm' },
    payload: { by: 'shell_exec', files: [{ path: 'a', changeType: 'Deleted' }] },
  };
  const files = (...said: Said[]) => {
    const views = [
      viewOf(1, null, [...write(1, 'a', 'of one'), ...write(1, 'b', 'of one'), ...said]),
      viewOf(2, 1, [...write(2, 'b', 'of two'), removed, merged(4, 3)]),
      viewOf(3, 2, [...write(2, 'c', 'of three'), merged(3, 1)]),
    ];
    const { isPartial, files: found } = replayedFiles(1, new Map(views.map((view) => [view.id, view])));
    return [isPartial, found.map(({ path, content, runId }) => [path, content, runId])];
  };
  expect(files()[1]).toHaveLength(2);
  // What says that it came from above came from nowhere.
  expect(files(merged(5, 2))).toEqual([
    true,
    [
      ['b', 'of two', 2],
      ['c', 'of three', 3],
    ],
  ]);
  expect(files(merged(5, 9))[0]).toBe(true);
});

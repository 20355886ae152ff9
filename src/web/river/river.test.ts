import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEventDto, AgentEventType } from '../../client/index.ts';
import { firstAfter, layoutRiver } from './layout.ts';
import { breadthOf, isNamed, namedPitchFor, pitchFor } from './scene.ts';
import { createTrack, pushDelta, pushEvent, type Track } from './track.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
let seq = 0;
function event(type: AgentEventType, second: number, more: Partial<AgentEventDto> = {}): AgentEventDto {
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
    createdAtUtc: new Date(start + second * 1000).toISOString(),
    ...more,
  };
}
function track(...events: AgentEventDto[]): Track {
  const made = createTrack(1, null, start);
  for (const one of events) pushEvent(made, one);
  return made;
}
const at = (second: number) => start + second * 1000;

describe('a track', () => {
  it('joins the start and end of model and tool calls', () => {
    const made = track(
      event('ModelCallStarted', 1, { modelId: 'scripted:demo' }),
      event('ModelCallCompleted', 3, { completionTokens: 40 }),
      event('ToolCallStarted', 3, { toolCallId: 'a', toolName: 'shell_exec' }),
      event('ToolCallStarted', 3, { toolCallId: 'b', toolName: 'http_fetch' }),
      event('ToolCallFailed', 4, { toolCallId: 'b' }),
      event('ToolCallCompleted', 6, { toolCallId: 'a' }),
    );
    expect(made.blocks).toMatchObject([
      { kind: 'model', label: 'scripted:demo', from: at(1), to: at(3), flow: 40 },
      { kind: 'tool', id: 'a', from: at(3), to: at(6), failed: false, sandboxed: true },
      { kind: 'tool', id: 'b', from: at(3), to: at(4), failed: true, sandboxed: false },
    ]);
  });

  it('uses the duration when the start was not loaded', () => {
    const made = track(event('ToolCallCompleted', 9, { toolCallId: 'a', toolName: 'run_note', durationMs: 2000 }));
    expect(made.blocks).toMatchObject([{ from: at(7), to: at(9) }]);
  });

  it('shows one gate for an approval and its escalation, open until the decision', () => {
    const made = track(
      event('ToolApprovalRequested', 1),
      event('EscalationRaised', 1, { payloadJson: '{"escalationId":4}' }),
    );
    expect(made.gates).toMatchObject([{ from: at(1), to: null }]);
    pushEvent(made, event('EscalationResolved', 5));
    expect(made.gates).toMatchObject([{ to: at(5) }]);
  });

  it('breaks where the owner died and ends what it left open', () => {
    const made = track(event('ModelCallStarted', 1), event('RunRecovered', 12));
    expect(made.breaks).toMatchObject([{ from: at(1), to: at(12) }]);
    expect(made.blocks).toMatchObject([{ to: at(1), failed: true }]);
  });

  it('ignores events that it has taken, and fills the open model call with deltas', () => {
    const first = event('ModelCallStarted', 1);
    const made = track(first, first);
    pushDelta(made, {
      runId: 1,
      rootRunId: 1,
      iteration: 1,
      index: 0,
      kind: 'Content',
      delta: '12345678',
      toolCallId: null,
      modelId: null,
    });
    expect(made.blocks).toMatchObject([{ flow: 2 }]);
    pushEvent(made, event('RunCompleted', 3));
    expect(made.end).toMatchObject({ kind: 'completed', at: at(3) });
    expect(made.blocks[0]?.to).toBe(at(3));
  });
});

describe('the layout', () => {
  it('keeps the root on row 0 and puts tributaries below, where they were spawned', () => {
    const root = track(
      event('ChildSpawned', 2, { payloadJson: '{"childRunId":2}' }),
      event('ChildCompleted', 6, { payloadJson: '{"childRunId":2}' }),
    );
    const child = createTrack(2, 1, at(3));
    child.end = { kind: 'completed', at: at(5), seq: 1 };
    const river = layoutRiver([root, child], 1, at(10));
    expect(river.lanes).toMatchObject([
      { row: 0, parentRow: null },
      { row: 1, parentRow: 0, from: at(2), to: at(5), joinedAt: at(6) },
    ]);
    expect(river).toMatchObject({ rows: 2, to: at(10) });
  });

  it('never lays two lanes on each other, and every lane is below its parent', () => {
    const tree = fc.array(fc.record({ parent: fc.nat(), from: fc.nat(100), length: fc.nat(60), ended: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(tree, (runs) => {
        const tracks = [createTrack(1, null, at(0))];
        runs.forEach(({ parent, from, length, ended }, index) => {
          const made = createTrack(index + 2, (parent % tracks.length) + 1, at(from));
          if (ended) made.end = { kind: 'completed', at: at(from + length), seq: 1 };
          tracks.push(made);
        });
        const { lanes, rows } = layoutRiver(tracks, 1, at(200));
        expect(lanes).toHaveLength(tracks.length);
        for (const lane of lanes) {
          expect(lane.row).toBeLessThan(rows);
          if (lane.parentRow !== null) expect(lane.row).toBeGreaterThan(lane.parentRow);
          for (const other of lanes) {
            if (other === lane || other.row !== lane.row) continue;
            expect(other.to < lane.from || lane.to < other.from).toBe(true);
          }
        }
      }),
    );
  });

  it('finds the first item in view', () => {
    const items = Array.from({ length: 1000 }, (_, i) => ({ from: i * 10, to: i * 10 + 5 }));
    expect(firstAfter(items, 5004, (item) => item.to)).toBe(500);
    expect(firstAfter(items, 99_999, (item) => item.to)).toBe(1000);
  });
});

describe('rows of a river', () => {
  const room = 372;

  it('all fit into the room, down to what can be told apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 42 }), (rows) => {
        expect(breadthOf(rows, pitchFor(rows, room))).toBeLessThanOrEqual(room);
      }),
    );
    expect(pitchFor(1000, room)).toBe(pitchFor(100, room));
  });

  it('have room for names while they are few, and when it is asked for', () => {
    expect([1, 4, 11, 12, 41].map((rows) => isNamed(pitchFor(rows, room)))).toEqual([true, true, true, false, false]);
    expect(isNamed(namedPitchFor(41, room))).toBe(true);
  });
});

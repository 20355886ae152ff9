import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TaskStatus } from '../contract/enums.ts';
import { requireTaskMove, taskTransitions } from './task-transitions.ts';

const file = join(import.meta.dirname, '../../test/conformance/enums.json');
const listed: Record<string, { by: string; to: string }[]> = JSON.parse(readFileSync(file, 'utf8')).transitions
  .TaskStatus;

describe('task transitions', () => {
  it('are those that the interface lists', () => {
    for (const status of TaskStatus.options) {
      const wanted = listed[status]?.filter((move) => move.by.includes('/api/agent/tasks')).map((move) => move.to);
      expect([...taskTransitions[status]].sort(), status).toEqual([...new Set(wanted)].sort());
    }
  });

  it('name what may follow when a move is refused', () => {
    expect(() => requireTaskMove('Done', 'Done')).not.toThrow();
    expect(() => requireTaskMove('Done', 'Blocked')).toThrow(
      expect.objectContaining({ code: 'INVALID_TRANSITION', hint: 'It can become InProgress.' }),
    );
  });
});

import { expect, it, vi } from 'vitest';
import { entitiesIn, followWrites, noteWritten, withWritten } from './written.ts';

const goal = { id: 1, guid: 'a', topic: 'Tides', updatedAtUtc: '2026-01-02T00:00:00.000Z' };
const other = { id: 2, guid: 'b', topic: 'Boats', updatedAtUtc: '2026-01-02T00:00:00.000Z' };
const written = { ...goal, topic: 'Tides of June', notInLists: true, updatedAtUtc: '2026-01-03T00:00:00.000Z' };

it('what was written stands wherever the entity is shown, with the fields that are shown of it', () => {
  const { notInLists: _, ...now } = written;
  expect(withWritten(goal, written)).toEqual(now);
  expect(withWritten([other, goal], written)).toEqual([other, now]);
  const page = { items: [other, goal], totalCount: 2 };
  expect(withWritten({ page, names: ['a'] }, written)).toEqual({
    page: { items: [other, now], totalCount: 2 },
    names: ['a'],
  });
  const known = { items: [{ id: 9, goal: { guid: 'a', topic: 'Tides' } }] };
  expect(withWritten(known, written)).toEqual({ items: [{ id: 9, goal: { guid: 'a', topic: 'Tides of June' } }] });
});

it('what is newer, or of something else, stays the same object', () => {
  for (const shown of [
    [{ ...goal, updatedAtUtc: '2026-01-04T00:00:00.000Z' }, other],
    { items: [other] },
    [],
    null,
    'a',
    new Map([['a', goal]]),
  ])
    expect(withWritten(shown, written)).toBe(shown);
  const run = { guid: 'r', status: 'Running', eventCount: 9 };
  expect(withWritten(run, { guid: 'r', status: 'Queued', eventCount: 8 })).toBe(run);
});

it('answers tell themselves, or what they name', () => {
  expect(entitiesIn(goal)).toEqual([goal]);
  expect(entitiesIn({ webhook: goal, secret: 'x', list: [other] })).toEqual([goal]);
  for (const none of [null, undefined, [], 'guid', { deleted: true }]) expect(entitiesIn(none)).toEqual([]);
});

it('places follow writes until they stop', () => {
  const place = vi.fn();
  const stop = followWrites((change) => place(change({ items: [goal] })));
  noteWritten(written);
  expect(place).toHaveBeenCalledWith({ items: [expect.objectContaining({ topic: 'Tides of June' })] });
  stop();
  noteWritten(written);
  expect(place).toHaveBeenCalledTimes(1);
});

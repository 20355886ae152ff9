import { expect, it } from 'vitest';
import type { FactDto } from '../../../client/index.ts';
import { piecesOf, reachOf, spansOf } from './spans.ts';

const at = (day: number) => `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`;
const said = (id: number, from: number, until: number | null, written: number, retracted: number | null) =>
  ({
    id,
    validFromUtc: at(from),
    validUntilUtc: until === null ? null : at(until),
    createdAtUtc: at(written),
    retractedAtUtc: retracted === null ? null : at(retracted),
  }) as FactDto;

it('knows what was corrected until its correction, and what corrected it from then on', () => {
  const spans = spansOf([said(2, 9, null, 9, null), said(1, 1, 9, 2, null), said(1, 1, null, 2, 5)]);
  expect(spans.map(({ fact: { id }, knownFrom, knownUntil }) => [id, knownFrom, knownUntil])).toEqual([
    [1, Date.parse(at(2)), Date.parse(at(5))],
    [1, Date.parse(at(5)), null],
    [2, Date.parse(at(9)), null],
  ]);
});

it('did not know an end before what follows was known', () => {
  const pieces = piecesOf(spansOf([said(2, 9, null, 12, null), said(1, 1, 9, 2, null)]));
  expect(pieces.map(({ fact: { id }, validUntil, knownUntil }) => [id, validUntil, knownUntil])).toEqual([
    [1, null, Date.parse(at(12))],
    [1, Date.parse(at(9)), null],
    [2, null, null],
  ]);
});

it('reaches over all times and now', () => {
  const { valid, known } = reachOf(spansOf([said(1, 1, 9, 2, null)]), Date.parse(at(20)));
  expect(valid[0]).toBeLessThan(Date.parse(at(1)));
  expect(valid[1]).toBeGreaterThan(Date.parse(at(20)));
  expect(known[0]).toBeLessThan(Date.parse(at(2)));
});

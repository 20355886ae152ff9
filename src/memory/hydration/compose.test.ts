// How the context of a session is composed: within its budget, fair to all sources, with a receipt that can be replayed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HydrationSource } from '../../contract/enums.ts';
import { type Candidate, compose, keyOf, type Proposal, sourceOrder, tokensOf } from './compose.ts';

const candidate = (source: HydrationSource, id: number, text = `text ${id}`, kind = 'memory'): Candidate => ({
  source,
  kind,
  id,
  why: 'because',
  text,
});
const proposal = (source: HydrationSource, candidates: Candidate[], count = candidates.length): Proposal => ({
  source,
  enabled: true,
  candidates,
  candidateCount: count,
  tookMs: 0,
});
const told = (all: Proposal[], tokenBudget: number | null = null, without?: ReadonlySet<string>) =>
  compose(all, { tokenBudget, without });

describe('a composed context', () => {
  it('tells each thing once, by the earlier source, and says why the other place is empty', () => {
    const { entries, sources } = told([
      proposal('RecentMemories', [candidate('RecentMemories', 1), candidate('RecentMemories', 2)]),
      proposal('PinnedMemories', [candidate('PinnedMemories', 1)]),
    ]);
    expect(entries.map(({ source, id, leftOut }) => [source, id, leftOut])).toEqual([
      ['PinnedMemories', 1, null],
      ['RecentMemories', 1, 'Duplicate'],
      ['RecentMemories', 2, null],
    ]);
    expect(sources.map(({ source, includedCount, truncated }) => [source, includedCount, truncated])).toEqual([
      ['PinnedMemories', 1, false],
      ['RecentMemories', 1, false],
    ]);
  });

  it('never exceeds its budget, whatever is proposed', () => {
    const source = fc.constantFrom(...sourceOrder);
    const proposals = fc.uniqueArray(
      fc.record({ source, lengths: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 8 }) }),
      { selector: (one) => one.source, maxLength: 15 },
    );
    fc.assert(
      fc.property(proposals, fc.integer({ min: 0, max: 1500 }), (drawn, tokenBudget) => {
        let id = 0;
        const all = drawn.map((one) =>
          proposal(
            one.source,
            one.lengths.map((length) => candidate(one.source, ++id, 'x'.repeat(length))),
          ),
        );
        const { tokens, markdown, entries } = told(all, tokenBudget);
        expect(tokens).toBe(tokensOf(markdown));
        expect(tokens).toBeLessThanOrEqual(Math.max(0, tokenBudget));
        expect(entries).toHaveLength(id);
      }),
    );
  });

  it('gives each source a turn before any gets a second one', () => {
    const many = (source: HydrationSource, from: number) =>
      proposal(
        source,
        [0, 1, 2, 3].map((n) => candidate(source, from + n, 'y'.repeat(200))),
      );
    const { sources } = told([many('RecentMemories', 10), many('Facts', 20), many('Tasks', 30)], 290);
    expect(sources.map(({ includedCount }) => includedCount)).toEqual([2, 1, 1]);
    expect(sources.every(({ truncated }) => truncated)).toBe(true);
  });

  it('tells critical facts and rules before anything else takes room', () => {
    const { entries } = told(
      [
        proposal('PinnedMemories', [candidate('PinnedMemories', 1, 'z'.repeat(600))]),
        proposal('KeyFacts', [candidate('KeyFacts', 2, 'z'.repeat(600), 'fact')]),
      ],
      250,
    );
    expect(entries.map(({ id, leftOut }) => [id, leftOut])).toEqual([
      [2, null],
      [1, 'Budget'],
    ]);
  });

  it('gives the room of what is taken out to what had none', () => {
    const all = [
      proposal('PinnedMemories', [candidate('PinnedMemories', 1, 'a'.repeat(600))]),
      proposal('RecentMemories', [candidate('RecentMemories', 2, 'b'.repeat(600))]),
    ];
    expect(told(all, 250).entries.map(({ leftOut }) => leftOut)).toEqual([null, 'Budget']);
    const again = told(all, 250, new Set([keyOf({ kind: 'memory', id: 1 })]));
    expect(again.entries.map(({ leftOut }) => leftOut)).toEqual(['Removed', null]);
  });

  it('is empty where nothing is there to tell', () => {
    expect(told([proposal('Facts', [])])).toMatchObject({ markdown: '', tokens: 0, entries: [] });
  });
});

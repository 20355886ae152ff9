// One measure for kinds of every sort.
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../ports/search.ts';
import { rank } from './rank.ts';

let id = 0;
const one = (title: string, more: Partial<Candidate> = {}): Candidate => ({
  id: ++id,
  guid: null,
  title,
  text: '',
  url: '/',
  identityId: null,
  projectId: null,
  tags: [],
  updatedAt: null,
  ...more,
});
const weights = { semantic: 0.3, keyword: 0.7 };
const titles = (candidates: Candidate[], question: string, mode: 'Hybrid' | 'Semantic' | 'Keyword' = 'Hybrid') =>
  rank(candidates, { question, mode, weights }).map(({ candidate, matchedBy }) => `${candidate.title}: ${matchedBy}`);

describe('rank', () => {
  it('puts what is named so first, then titles, tags and texts', () => {
    const all = [
      one('notes', { text: 'about the harbour' }),
      one('list', { tags: ['harbour'] }),
      one('the harbour master'),
      one('Harbour'),
    ];
    expect(titles(all, 'harbour')).toEqual([
      'Harbour: Exact',
      'the harbour master: Keyword',
      'list: Keyword',
      'notes: Keyword',
    ]);
  });

  it('prefers what says all of the question, and rare words to common ones', () => {
    const all = [one('red boat'), one('red car'), one('red house'), one('blue boat'), one('red boat shed')];
    expect(titles(all, 'boat red')[0]).toBe('red boat: Keyword');
    expect(titles(all, 'blue red').indexOf('blue boat: Keyword')).toBe(0);
  });

  it('counts nearness as more of what is said, and alone as less than a word', () => {
    const all = [
      one('wages', { nearness: 0.6 }),
      one('salaries', { nearness: 0.9 }),
      one('weather', { nearness: 0.1 }),
      one('wages of all'),
    ];
    expect(titles(all, 'wages paid')).toEqual(['wages: Hybrid', 'wages of all: Keyword', 'salaries: Semantic']);
    expect(titles(all, 'wages', 'Semantic')).toEqual(['salaries: Semantic', 'wages: Semantic']);
    expect(titles(all, 'wages', 'Keyword').map((title) => title.split(':')[0])).toEqual(['wages', 'wages of all']);
  });

  it('finds by the beginning of a word as it is typed, and of equals the newer first', () => {
    const [older, newer] = [one('harbours', { updatedAt: new Date(1) }), one('harbours', { updatedAt: new Date(2) })];
    const found = rank([older, newer], { question: 'harb', mode: 'Hybrid', weights });
    expect(found.map(({ candidate }) => candidate.id)).toEqual([newer.id, older.id]);
  });

  it('finds signs and stop words as they stand', () => {
    expect(titles([one('what is C++?'), one('other')], 'c++')).toEqual(['what is C++?: Keyword']);
    expect(titles([one('to be or not'), one('other')], 'to be')).toEqual(['to be or not: Keyword']);
  });

  it('keeps scores between 0 and 1', () => {
    const all = [one('a b'), one('a', { nearness: 1 }), one('b', { nearness: -1, text: 'a b' })];
    for (const { score } of rank(all, { question: 'a b c', mode: 'Hybrid', weights })) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });
});

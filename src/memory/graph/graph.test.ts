// What texts name, and how nodes of a graph are measured.
import { expect, it } from 'vitest';
import { extract, nameKey } from './extract.ts';
import { measure, pathBetween } from './measure.ts';

const namesOf = (text: string, tags: string[] = []) => extract(text, tags).entities.map(({ name }) => name);
const said = (text: string) => extract(text).relations.map(({ from, relation, to }) => `${from} ${relation} ${to}`);

it('names are found, and the first words of sentences are none', () => {
  expect(namesOf('The ferry of Lake Constance is blue. Tickets are sold in Lindau.')).toEqual([
    'Lake Constance',
    'Lindau',
  ]);
  expect(namesOf('We met Ada Lovelace. Yesterday Ada’s paper was late.')).toEqual(['Ada Lovelace', 'Ada']);
  expect(namesOf('nothing here')).toEqual([]);
  expect(namesOf('Deploy with `docker compose` on Monday.', ['deploy'])).toEqual(['deploy', 'docker compose']);
  expect(namesOf(Array.from({ length: 60 }, (_, at) => `see Name${at}x`).join(' '))).toHaveLength(16);
});

it('plain verbs between two names are relations', () => {
  expect(said('Ada works for Babbage Ltd.')).toEqual(['Ada works_for Babbage Ltd']);
  expect(said('Rivulet uses SQLite and Rivulet depends on Node.')).toEqual([
    'Rivulet uses SQLite',
    'Rivulet depends_on Node',
  ]);
  expect(said('Ada met somebody. Babbage slept.')).toEqual([]);
});

it('a name is the same however it is written', () => {
  expect(nameKey('  Lake-Constance ')).toBe(nameKey('lake constance'));
  expect(nameKey('C++')).not.toBe(nameKey('C'));
});

it('hostile texts name no more than others', () => {
  for (const text of ['A '.repeat(20_000), 'Aa of '.repeat(8000), '`'.repeat(20_000), 'A'.repeat(20_000)])
    expect(extract(text).entities.length).toBeLessThanOrEqual(16);
});

it('ways, ranks and communities are those of the graph', () => {
  const edge = (fromNodeId: number, toNodeId: number, weight = 1) => ({ fromNodeId, toNodeId, weight });
  // Two triangles, joined by one edge.
  const edges = [edge(1, 2), edge(2, 3), edge(3, 1), edge(4, 5), edge(5, 6), edge(6, 4), edge(3, 4)];
  const ids = [1, 2, 3, 4, 5, 6, 7];
  expect(pathBetween(ids, edges, 1, 6)).toEqual([1, 3, 4, 6]);
  expect(pathBetween(ids, edges, 1, 7)).toEqual([]);
  const metrics = measure(ids, edges);
  const of = (id: number) => metrics.find(({ nodeId }) => nodeId === id);
  expect(of(3)).toMatchObject({ degree: 3, weightedDegree: 3 });
  expect(of(3)!.betweenness).toBeGreaterThan(of(1)!.betweenness!);
  expect(of(1)!.communityId).toBe(of(2)!.communityId);
  expect(of(1)!.communityId).not.toBe(of(5)!.communityId);
  expect(of(3)!.pageRank).toBeGreaterThan(of(7)!.pageRank);
  expect(measure(ids, edges)).toEqual(metrics);
  expect(measure([], [])).toEqual([]);
  expect(measure([1], [])).toMatchObject([{ nodeId: 1, degree: 0 }]);
});

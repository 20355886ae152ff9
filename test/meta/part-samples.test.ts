// The samples of a part reach every operation that takes ids, also those of a resource within another.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { crud } from '../../src/contract/crud.ts';
import { named, resourceOf } from '../../src/contract/named.ts';
import { group } from '../../src/contract/operation.ts';
import { dto, int32 } from '../../src/contract/types.ts';
import { sampleOf } from '../../src/groups/part.ts';
import { callOf, operationsOf } from '../support/part-samples.ts';

const Dto = dto('PartSampleDto', { id: int32, name: z.string() });
const fields = { dto: Dto, read: 'DocsRead', write: 'DocsWrite', sorts: ['id'], filters: {} } as const;
const bodies = { create: { name: z.string() }, patch: { name: z.string() } };
const shelves = group(
  'Shelves',
  { base: '/api/shelves', doc: 'Shelves.' },
  {
    ...crud({ noun: 'shelf', ...fields, ...bodies }),
    ...named('Book', crud({ noun: 'book', at: '/{shelfId}/books', one: '/books/{id}', ...fields, ...bodies })),
  },
);
const books = resourceOf(shelves, 'Book', ['list', 'create', 'get', 'patch', 'remove']);
const patch = ({ name }: { name: string }) => ({ name: `${name} again` });
const samples = [
  sampleOf(shelves, (name) => ({ name }), { patch }),
  sampleOf(
    books,
    (name) => ({ name }),
    { patch },
    async (make) => ({ shelfId: await make(shelves) }),
  ),
];

it('names each operation once, under its own id', () => {
  const ids = samples.flatMap((sample) => operationsOf(sample, samples).map((one) => one.id));
  expect(ids.sort()).toEqual(
    [
      ...['get', 'patch', 'remove'].flatMap((verb) => [`Shelves_${verb}`, `Shelves_${verb}Book`]),
      ...['Shelves_createBook', 'Shelves_listBooks'],
    ].sort(),
  );
});

it.each([
  ['Shelves_patch', { params: { id: 1 }, body: { name: 'a again' } }, ['/api/shelves']],
  ['Shelves_listBooks', { params: { shelfId: 1 } }, ['/api/shelves']],
  ['Shelves_createBook', { params: { shelfId: 1 }, body: { name: 'a' } }, ['/api/shelves']],
  ['Shelves_patchBook', { params: { id: 2 }, body: { name: 'a again' } }, ['/api/shelves', '/api/shelves/1/books']],
])('makes for %s what it needs', async (operationId, call, paths) => {
  const posted: string[] = [];
  const post = async (path: string) => ({ id: posted.push(path) });
  const found = samples.flatMap((sample) =>
    operationsOf(sample, samples).flatMap((one) => (one.id === operationId ? [{ sample, one }] : [])),
  );
  const [{ sample, one }] = found as [(typeof found)[number]];
  expect(await callOf(one, sample, samples, 'a', post)).toEqual(call);
  expect(posted).toEqual(paths);
});

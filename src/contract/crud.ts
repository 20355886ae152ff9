// Declares the five operations that most resources have: list, create, get, patch and remove.
import type { z } from 'zod';
import { pluralOf, withArticle } from '../kernel/words.ts';
import type { Permission } from './enums.ts';
import { op } from './operation.ts';
import { listQuery, page } from './page.ts';
import { fields, nothing } from './types.ts';

export interface CrudSpec<
  Dto extends z.ZodType,
  Item extends z.ZodType,
  Sorts extends readonly [string, ...string[]],
  Filters extends z.ZodRawShape,
  Create extends z.ZodRawShape,
  Patch extends z.ZodRawShape,
  At extends string = '',
  One extends string = '/{id}',
> {
  /** Path of the list below the group's base, where that is not the base: `/{connectorId}/endpoints`. */
  at?: At;
  /** Path of one of them, where that is not `/{id}`: `/endpoints/{id}`. */
  one?: One;
  /** What one of them is called, e.g. `knowledge goal`. */
  noun: string;
  /** More than one of them, where `pluralOf` does not find it. */
  plural?: string;
  /** What create, get and patch answer. */
  dto: Dto;
  /** What the list shows of each; `dto` unless given. */
  item?: Item;
  read: Permission;
  write: Permission;
  /** Fields that the list may be sorted by; the default order is the record's. */
  sorts: Sorts;
  /** What the list may be narrowed by. */
  filters: Filters;
  create: Create;
  patch: Patch;
  /** Sentences for the documentation where the plain ones do not say enough. */
  docs?: Partial<Record<'list' | 'create' | 'get' | 'patch' | 'remove', string>>;
}

/**
 * The operations of a resource, at the group's base path and `/{id}` below it. A group takes them all, or picks:
 * `const { list, get } = crud({ … })`. Their handlers are `kept` (groups/kept.ts). A further resource of the same group
 * has paths and verbs of its own: `...named('Endpoint', crud({ at: '/{connectorId}/endpoints', one: '/endpoints/{id}', … }))`.
 *
 * @example group('KnowledgeGoal', { base, doc }, { ...crud({ noun: 'knowledge goal', dto, read, write, … }), next: op.get(…) })
 */
export function crud<
  Dto extends z.ZodType,
  const Sorts extends readonly [string, ...string[]],
  Filters extends z.ZodRawShape,
  Create extends z.ZodRawShape,
  Patch extends z.ZodRawShape,
  Item extends z.ZodType = Dto,
  const At extends string = '',
  const One extends string = '/{id}',
>(spec: CrudSpec<Dto, Item, Sorts, Filters, Create, Patch, At, One>) {
  const { noun, plural = pluralOf(noun), dto, read, write, docs = {} } = spec;
  const at = (spec.at ?? '') as At;
  const path = (spec.one ?? '/{id}') as One;
  const one = withArticle(noun);
  // Without an item of its own, `Item` is `Dto`.
  const item = (spec.item ?? dto) as Item;
  return {
    list: op.get(at, {
      doc: docs.list ?? `List ${plural}.`,
      needs: read,
      query: listQuery(spec.sorts, spec.filters),
      data: page(item),
    }),
    create: op.post(at, {
      doc: docs.create ?? `Create ${one}.`,
      needs: write,
      body: fields(spec.create),
      data: dto,
    }),
    get: op.get(path, { doc: docs.get ?? `Get one ${noun}.`, needs: read, data: dto }),
    patch: op.patch(path, {
      doc: docs.patch ?? `Change some fields of ${one}.`,
      needs: write,
      body: fields(spec.patch),
      data: dto,
    }),
    remove: op.delete(path, { doc: docs.remove ?? `Delete ${one}.`, needs: write, data: nothing }),
  };
}

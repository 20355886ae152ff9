// Paging: the query that every list takes and the payload that every list answers.
import { z } from 'zod';
import { JsonText } from './replies.ts';
import { boolean, int32 } from './types.ts';

export const defaultPageSize = 50;
export const maxPageSize = 200;

/** Query of a list: `page` (1), `pageSize` (50, at most 200), `sort` (a field, descending with a leading minus) and filters. */
export function listQuery<const Sorts extends readonly [string, ...string[]], Shape extends z.ZodRawShape>(
  sorts: Sorts,
  filters: Shape,
) {
  const values = sorts.flatMap((field) => [field, `-${field}`]) as [string, ...string[]];
  return z.strictObject({
    page: int32.min(1).default(1),
    pageSize: int32.min(1).max(maxPageSize).default(defaultPageSize),
    sort: z.enum(values).optional(),
    ...filters,
  });
}

function makePage<Item extends z.ZodType>(item: Item) {
  const id = item.meta()?.id;
  if (!id) throw new Error('page() needs a named item schema');
  return z
    .strictObject({
      items: z.array(item),
      totalCount: int32,
      page: int32,
      pageSize: int32,
      hasTotal: boolean,
      moreAvailable: boolean.nullable(),
      totalPages: int32,
      hasNextPage: boolean,
      hasPreviousPage: boolean,
    })
    .meta({ id: `PagedResultOf${id}` });
}

const pages = new WeakMap<z.ZodType, unknown>();

/** `PagedResultOf<Item>`, the same schema each time; the item schema must have an id. */
export function page<Item extends z.ZodType>(item: Item): ReturnType<typeof makePage<Item>> {
  const made = (pages.get(item) as ReturnType<typeof makePage<Item>> | undefined) ?? makePage(item);
  pages.set(item, made);
  return made;
}

export interface PageRequest {
  page: number;
  pageSize: number;
}

/** What a list answers. */
export interface Page<Item> {
  items: Item[];
  totalCount: number;
  page: number;
  pageSize: number;
  hasTotal: boolean;
  moreAvailable: boolean | null;
  totalPages: number;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** The same payload from items as JSON texts. */
export function toPageText(items: readonly string[], totalCount: number, asked: PageRequest): JsonText {
  const page = JSON.stringify(toPage([], totalCount, asked));
  const { length } = '{"items":[';
  return new JsonText(`${page.slice(0, length)}${items.join()}${page.slice(length)}`, items.length);
}

/** Builds the payload of a list from one page of items and the total. */
export function toPage<Item>(items: Item[], totalCount: number, { page, pageSize }: PageRequest): Page<Item> {
  const totalPages = Math.ceil(totalCount / pageSize);
  const hasNextPage = page < totalPages;
  return {
    items,
    totalCount,
    page,
    pageSize,
    hasTotal: true,
    moreAvailable: hasNextPage,
    totalPages,
    hasNextPage,
    hasPreviousPage: page > 1,
  };
}

// Lists of encrypted memories by their texts: the store cannot look into them, so they are read and compared here.
import { quote } from '../../kernel/patterns.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { MemoryDoc } from './record.ts';

type Page = Keeper<MemoryDoc>['page'];
type Query = Parameters<Page>[1];

/** Memories that are read at once. */
const chunk = 2000;

/** Whether a list looks into texts: by a part of them, or in the order of titles. */
export const isOfTexts = ({ q, sort }: Pick<Query, 'q' | 'sort'>): boolean => !!q || titleOrder(sort) !== 0;

const compared = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
const titleOrder = (sort: string | undefined): -1 | 0 | 1 => (sort === 'title' ? 1 : sort === '-title' ? -1 : 0);

/** The page that the store would find of plain memories; it takes as long as there are memories that match otherwise. */
export async function sealedPage(page: Page, by: By, query: Query, options: Parameters<Page>[2]) {
  const { q, sort, page: number, pageSize, ...filters } = query;
  const order = titleOrder(sort);
  const others = { ...filters, ...(order === 0 && { sort }) };
  const wanted = q ? new RegExp(quote(q), 'i') : null;
  const all: MemoryDoc[] = [];
  for (let at = 1; ; at++) {
    const { items } = await page(by, { ...others, page: at, pageSize: chunk }, options);
    all.push(...items.filter(({ title, content }) => !wanted || wanted.test(title) || wanted.test(content)));
    if (items.length < chunk) break;
  }
  if (order !== 0) all.sort((a, b) => order * (compared(a.title, b.title) || a._id - b._id));
  return { items: all.slice((number - 1) * pageSize, number * pageSize), totalCount: all.length };
}

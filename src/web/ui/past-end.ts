// A page of a list that lies beyond its end, because what stood there went: the last one is shown instead.

interface Listed {
  items: readonly unknown[];
  page: number;
  totalPages: number;
}

const isListed = (data: unknown): data is Listed =>
  typeof data === 'object' && data !== null && 'items' in data && 'page' in data && 'totalPages' in data;

/** The page to show instead of `asked`, which lies beyond the end of a list of so many; null where it does not. */
export const lastPage = (asked: number, totalPages: number): number | null =>
  asked > Math.max(1, totalPages) ? Math.max(1, totalPages) : null;

/** The same of an answer; null for what is no page of a list, or has something on it. */
export const pageInstead = (data: unknown): number | null =>
  isListed(data) && data.items.length === 0 ? lastPage(data.page, data.totalPages) : null;

// A list of small objects as lines of text, for people who should not have to read JSON.
export interface ListedItem {
  /** Its first text. */
  title: string;
  others: [key: string, text: string][];
}

const isPlain = (value: unknown) => value === null || typeof value !== 'object';

function listedItem(value: unknown): ListedItem | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value).filter(([, one]) => one !== null && one !== '');
  if (!entries.every(([, one]) => isPlain(one))) return null;
  const title = entries.find(([, one]) => typeof one === 'string');
  if (!title) return null;
  return { title: title[1], others: entries.filter((one) => one !== title).map(([key, one]) => [key, String(one)]) };
}

/** Null when the value is no list, or what is in it has more than names and plain values. */
export function listed(value: unknown): ListedItem[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const items = value.map(listedItem);
  return items.every((one) => one !== null) ? items : null;
}

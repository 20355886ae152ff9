// Fields and ids that were really given.

/** Without those that are absent; null stays, since it clears. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Without those that are absent or null. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], null | undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as never;
}

/** Ids that are there, each once. */
export const present = (ids: readonly (number | null)[]): number[] => [...new Set(ids.filter((id) => id !== null))];

// Tags of reflections and pairs: added and taken away one by one, as two people may do at once.
import type { By, Keeper } from '../../ports/keeper.ts';
import type { Draft } from '../../ports/record.ts';
import type { OfIdentity } from './owned.ts';

interface Tagged extends OfIdentity {
  tags: string[];
}

const change = <Doc extends Tagged>(keeper: Keeper<Doc>, by: By, id: number, to: (tags: string[]) => string[]) =>
  keeper.change(by, id, (old) => ({ tags: to(old.tags) }) as Partial<Draft<Doc>>, { expecting: ['tags'] });

/** Tags without what is said twice. */
export const unique = (given: readonly string[] | null | undefined): string[] => [...new Set(given ?? [])];

export const addTags = <Doc extends Tagged>(keeper: Keeper<Doc>, by: By, id: number, more: readonly string[]) =>
  change(keeper, by, id, (old) => unique([...old, ...more]));

export const removeTag = <Doc extends Tagged>(keeper: Keeper<Doc>, by: By, id: number, gone: string) =>
  change(keeper, by, id, (old) => old.filter((one) => one !== gone));

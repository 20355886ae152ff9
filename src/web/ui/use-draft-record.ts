// What is written into a form of several fields, kept by the tab like any other draft.
import { useDraft } from '../base/draft.ts';

export interface DraftRecord<T> {
  written: T;
  write: (change: Partial<T>) => void;
  clear: () => void;
}

/** `initial` is there until something was written; fields that a kept draft lacks are as in it. */
export function useDraftRecord<T extends object>(name: string, initial: T): DraftRecord<T> {
  const { text, write, clear } = useDraft(`record.${name}`);
  const written: T = text ? { ...initial, ...(JSON.parse(text) as Partial<T>) } : initial;
  return { written, write: (change) => write(JSON.stringify({ ...written, ...change })), clear };
}

// The texts of memories that a commit writes, which the review looks for among those that are there already.
import { type MemoryText, memoryLength } from '../../imports/transcript.ts';
import type { ConversationDoc, ItemDoc } from './record.ts';

/** A conversation in whose place a person wrote a text; null where nobody did. */
export const textInPlaceOf = ({ title, content }: Pick<ConversationDoc, 'title' | 'content'>): MemoryText | null =>
  content === null ? null : { title: title ?? 'Imported conversation', content };

export const textOfItem = ({ title, content }: Pick<ItemDoc, 'title' | 'content'>): MemoryText => ({
  title: title ?? content.slice(0, 80),
  content: content.slice(0, memoryLength),
});

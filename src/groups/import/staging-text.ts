// The text of an item as it is shown, searched and decided on.
import type { ParsedItem } from '../../imports/shapes.ts';

export const shownText = ({ kind, content }: Pick<ParsedItem, 'kind' | 'content'>): string =>
  content.slice(0, kind === 'Fact' ? 8000 : 60_000);

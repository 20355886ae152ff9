// The indexes of all kinds that are found by words and meaning, for a reindex on request.
import { openIndexing } from '../../memory/open-indexing.ts';
import type { Indexed } from '../../memory/reindex.ts';
import { agentMemoryRecord, lessonKind } from '../agent-memories/record.ts';
import { createNodeIndexing } from '../graph/rounds.ts';
import { graphOf } from '../graph/shelf.ts';
import { createMemoryIndexing } from '../memories/rounds.ts';
import { shelfOf } from '../memories/shelf.ts';
import type { PartBase } from '../part.ts';
import { personalKind, personalMemoryRecord } from '../personal-memories/record.ts';
import { ruleKind, ruleRecord } from '../standing-rules/record.ts';

export function indexingsOf(base: PartBase): Indexed[] {
  const { book } = graphOf(base);
  const { library } = shelfOf(base);
  return [
    { name: 'memories', indexing: createMemoryIndexing(base, { book, library }).indexing },
    { name: 'agent memories', indexing: openIndexing(base, lessonKind, agentMemoryRecord.spec, '').indexing },
    { name: 'personal memories', indexing: openIndexing(base, personalKind, personalMemoryRecord.spec, '').indexing },
    { name: 'standing rules', indexing: openIndexing(base, ruleKind, ruleRecord.spec, '').indexing },
    { name: 'entities', indexing: createNodeIndexing(base, book).indexing },
  ];
}

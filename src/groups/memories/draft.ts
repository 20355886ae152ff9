// A new memory from a request.
import type { Caller } from '../../contract/caller.ts';
import type { MemoryType, Provenance } from '../../contract/enums.ts';
import { given } from '../fields.ts';
import type { NewMemory } from './library.ts';

export interface MemoryDraft {
  title: string;
  content: string;
  type?: MemoryType | null | undefined;
  provenance?: Provenance | null | undefined;
  importance?: number | null | undefined;
  isPinned?: boolean | null | undefined;
  isShared?: boolean | null | undefined;
  projectId?: number | null | undefined;
  tags?: string[] | null | undefined;
}

export const plainMemory = {
  type: 'Reference' as const,
  provenance: 'Observed' as const,
  importance: 5,
  isPinned: false,
  isShared: false,
  projectId: null,
  tags: [],
  sourceRunId: null,
  sourceChatSessionId: null,
};

/** What an agent writes over the interface counts as its conclusion at most. */
export function draftOf(
  body: MemoryDraft & { linkToMemoryIds?: unknown },
  identityId: number,
  caller: Caller,
): NewMemory {
  const { linkToMemoryIds: _, title, content, tags, ...rest } = body;
  const provenance =
    caller.role === 'Agent' && body.provenance === 'Verified' ? { provenance: 'Inferred' as const } : {};
  return {
    ...plainMemory,
    ...given(rest),
    ...provenance,
    title,
    content,
    tags: [...new Set(tags ?? [])],
    identityId,
  } as NewMemory;
}

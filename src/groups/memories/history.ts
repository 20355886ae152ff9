// What became of a memory, and by what: from what the memory itself keeps of its past.
import { shown } from '../../ports/shown.ts';
import { MemoryChangeDto } from './dto.ts';
import type { MemoryDoc } from './record.ts';

interface Successor {
  _id: number;
  createdAt: Date;
}

const nothing = {
  runId: null,
  chatSessionId: null,
  byMemoryId: null,
  reason: null,
  title: null,
  content: null,
  importance: null,
};

/** Oldest first. `successor` is what superseded it, where the caller may know of that. */
export function historyOf(memory: MemoryDoc, successor: Successor | null): MemoryChangeDto[] {
  const { createdAt, sourceRunId, sourceChatSessionId, archivedAt, archivedReason } = memory;
  const written: MemoryChangeDto = {
    ...nothing,
    kind: 'Written',
    atUtc: createdAt.toISOString(),
    runId: sourceRunId,
    chatSessionId: sourceChatSessionId,
  };
  const changes = (memory.edits ?? []).map((edit) =>
    shown(MemoryChangeDto, edit, { ...nothing, ...textOf(edit), kind: 'Changed', runId: edit.runId }),
  );
  const superseded: MemoryChangeDto[] = successor
    ? [{ ...nothing, kind: 'Superseded', atUtc: successor.createdAt.toISOString(), byMemoryId: successor._id }]
    : [];
  const archived: MemoryChangeDto[] = archivedAt
    ? [{ ...nothing, kind: 'Archived', atUtc: archivedAt.toISOString(), reason: archivedReason }]
    : [];
  return [written, ...changes, ...superseded, ...archived].sort((one, other) => one.atUtc.localeCompare(other.atUtc));
}

const textOf = ({ title, content, importance }: Pick<MemoryDoc, 'title' | 'content' | 'importance'>) => ({
  title,
  content,
  importance,
});

// Memories along time: under the day when each was written, newest first.
import type { MemoryListDto } from '../../../client/index.ts';
import { formatDay, t, words } from '../../base/i18n.ts';

interface Props {
  memories: readonly MemoryListDto[];
  open: number | null;
  onOpen: (memory: MemoryListDto) => void;
}

export function Timeline({ memories, open, onOpen }: Props) {
  const days = grouped(memories);
  return (
    <ol className="memory-days">
      {[...days].map(([day, some]) => (
        <li key={day}>
          <h2 className="memory-day">{day}</h2>
          <ul className="memory-list">
            {some.map((one) => (
              <li key={one.id}>
                <MemoryRow memory={one} isOpen={one.id === open} onOpen={() => onOpen(one)}>
                  {one.excerpt}
                </MemoryRow>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

/** In the order in which the days come. */
function grouped(memories: readonly MemoryListDto[]): Map<string, MemoryListDto[]> {
  const days = new Map<string, MemoryListDto[]>();
  for (const one of memories) {
    const day = formatDay(one.createdAtUtc);
    days.set(day, [...(days.get(day) ?? []), one]);
  }
  return days;
}

interface RowProps {
  memory: MemoryListDto;
  isOpen: boolean;
  onOpen: () => void;
  children: React.ReactNode;
}

export function MemoryRow({ memory, isOpen, onOpen, children }: RowProps) {
  return (
    <button type="button" className="memory-row" aria-current={isOpen ? 'true' : undefined} onClick={onOpen}>
      <span className="memory-title">{memory.title}</span>
      <span className="memory-text">{children}</span>
      <Marks memory={memory} />
    </button>
  );
}

/** What a memory is, in words. */
export function Marks({ memory }: { memory: MemoryListDto }) {
  const { type, provenance, importance, isPinned, isShared, archivedAtUtc, tags } = memory;
  const about = [words(type), words(provenance), t('importance {n}', { n: importance })];
  return (
    <span className="memory-marks small">
      <span className="muted">{about.join(' · ')}</span>
      {isPinned && <span className="tag">{t('pinned')}</span>}
      {isShared && <span className="tag">{t('shared')}</span>}
      {archivedAtUtc && <span className="tag">{t('archived')}</span>}
      {tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
    </span>
  );
}

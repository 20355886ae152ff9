// What became of a memory, by whom, and what it said before.
import type { MemoryChangeDto, MemoryDetailDto } from '../../../client/index.ts';
import { formatDate, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';

export function History({ memory, news }: { memory: MemoryDetailDto; news: number }) {
  const { id } = memory;
  const list = useKept(useResource(`memory history ${id}`, () => client.memories.history({ params: { id } })));
  useReloadOn(news, list.reload);
  return (
    <Loaded resource={list} rows={3}>
      {(changes) => (
        <>
          <ol className="memory-changes">
            {changes.map((one, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: changes have a place and nothing else
              <li key={place}>
                <p>
                  <strong>{t(verbs[one.kind])}</strong> <Cause change={one} />{' '}
                  <span className="faint small">{formatDate(one.atUtc)}</span>
                </p>
                {one.kind === 'Changed' && <Before change={one} memory={memory} />}
              </li>
            ))}
          </ol>
          {may('AuditRead') && (
            <p className="small">
              <a href={`#/audit?q=memories.${id}`}>{t('The audit log has who did it')}</a>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

const verbs: Record<MemoryChangeDto['kind'], string> = {
  Written: 'Written',
  Changed: 'Changed',
  Archived: 'Archived',
  Superseded: 'Superseded',
};

function Cause({ change: { kind, runId, chatSessionId, byMemoryId, reason } }: { change: MemoryChangeDto }) {
  if (byMemoryId !== null) return <a href={`#/memory?memory=${byMemoryId}`}>{t('by a newer memory')}</a>;
  if (runId !== null) return <a href={`#/runs/${runId}`}>{t('by run {id}', { id: runId })}</a>;
  if (chatSessionId !== null) return <a href={`#/chat/${chatSessionId}`}>{t('in a chat')}</a>;
  if (kind === 'Archived') return <span>{reason ?? t('without a reason given')}</span>;
  return <span>{t('by a person or a program with a key')}</span>;
}

/** What it said before, where that is another thing than now. */
function Before({ change, memory }: { change: MemoryChangeDto; memory: MemoryDetailDto }) {
  return (
    <details>
      <summary>{t('What it said before')}</summary>
      {change.title !== memory.title && <p className="small muted">{change.title}</p>}
      <p className="memory-content">{change.content}</p>
      {change.importance !== memory.importance && (
        <p className="small muted">{t('importance {n}', { n: change.importance ?? 0 })}</p>
      )}
    </details>
  );
}

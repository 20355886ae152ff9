// What became of a memory, by whom, and what it said before.
import type { MemoryChangeDto, MemoryDetailDto } from '../../../client/index.ts';
import { formatDate, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';
import { SessionLink } from './receipts.tsx';

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
          <Recalled memory={memory} />
          {may('AuditRead') && <Who id={id} />}
        </>
      )}
    </Loaded>
  );
}

/** Sessions whose receipts are looked through for the memory. */
const latestSessions = 100;

/** Which of the latest runs and chats began with it, and why it was told to them. */
function Recalled({ memory: { id, identityId } }: { memory: MemoryDetailDto }) {
  const list = useResource(`sessions of memory ${id}`, () =>
    client.hydration.receipts({ params: { identityId }, query: { pageSize: latestSessions } }),
  );
  const told = (list.data?.items ?? []).flatMap((receipt) => {
    const item = receipt.items.find((one) => one.kind === 'memory' && one.id === id && one.leftOut === null);
    return item && (receipt.runId !== null || receipt.chatSessionId !== null) ? [{ receipt, why: item.why }] : [];
  });
  return (
    <section className="stack" aria-label={t('Where it was recalled')}>
      <h3>{t('Where it was recalled')}</h3>
      {told.length === 0 ? (
        <p className="small muted">{t('None of the latest sessions began with it.')}</p>
      ) : (
        <ul className="plain-list">
          {told.map(({ receipt, why }) => (
            <li key={receipt.id}>
              <SessionLink of={receipt} /> <span className="small muted">{why}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What the audit log calls operations on memories. */
const deeds: Record<string, string> = {
  Memories_create: 'wrote it',
  Memories_patch: 'changed it',
  Memories_replace: 'changed it',
  Memories_archive: 'archived it or brought it back',
  Memories_addTags: 'added tags',
  Memories_removeTag: 'took a tag away',
};

/** Who did it, for those who may read the audit log. */
function Who({ id }: { id: number }) {
  const list = useResource(`audit of memory ${id}`, () =>
    client.auditEvents.list({ query: { targetKind: 'memory', targetId: id, pageSize: 20 } }),
  );
  const done = (list.data?.items ?? []).filter(({ action }) => action in deeds);
  if (done.length === 0) return null;
  return (
    <details>
      <summary>{t('Who did it')}</summary>
      <ul className="plain-list">
        {done.map((one) => (
          <li key={one.id}>
            <a href={`#/audit?entry=${one.id}`}>{one.actorName ?? t('somebody')}</a> {t(deeds[one.action] ?? '')}{' '}
            <span className="faint small">{formatDate(one.createdAtUtc)}</span>
          </li>
        ))}
      </ul>
    </details>
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

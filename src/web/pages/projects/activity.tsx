// What happened in a project, newest first.
import type { ActivityItemDto } from '../../../client/index.ts';
import { formatAgo, t, words } from '../../base/i18n.ts';
import { href, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';

export function Activity({ projectId, news }: { projectId: number; news: number }) {
  const { query } = useLocation();
  const page = pageIn(query);
  const list = useKept(
    useResource(`activity ${projectId} ${page}`, () =>
      client.projects.activity({ params: { id: projectId }, query: { page, pageSize: 50 } }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <Loaded resource={list}>
      {(found) =>
        found.items.length === 0 ? (
          <Empty title={t('Nothing has happened yet')}>
            {t('Runs, tasks, documents and facts of the project tell here what becomes of them.')}
          </Empty>
        ) : (
          <>
            <ActivityList items={found.items} />
            <UrlPages page={page} list={found} />
          </>
        )
      }
    </Loaded>
  );
}

/** Where the dashboard shows what it is about; null for what has no page. */
function pageOf({ kind, targetId }: ActivityItemDto): string | null {
  if (kind === 'Run') return href(`/runs/${targetId}`);
  if (kind === 'Doc') return href('/documents', { doc: targetId });
  return null;
}

export function ActivityList({ items }: { items: readonly ActivityItemDto[] }) {
  if (items.length === 0) return <p className="muted">{t('Nothing has happened yet')}</p>;
  return (
    <ol className="plain-list">
      {items.map((one) => {
        const to = pageOf(one);
        const title = one.title || `#${one.targetId}`;
        return (
          <li key={one.id} className="activity-item">
            <span className="faint small">{words(one.kind)}</span>{' '}
            {to ? <a href={to}>{title}</a> : <span>{title}</span>} <span className="muted">{one.action}</span>
            <span className="faint small">
              {' '}
              {one.actorName && `${one.actorName} · `}
              {formatAgo(one.createdAtUtc, Date.now())}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

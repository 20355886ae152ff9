// Imports: archives of other assistants that this person has uploaded, with how far each is.
import '../../styles/people.css';
import '../../styles/imports.css';
import type { ImportDto, ImportStatus } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { allOr, formatAgo, formatBytes, formatNumber, t, words } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { isUnderWay, Progress, providerOf, Standing } from './marks.tsx';
import { UploadCard } from './upload-card.tsx';

const pageSize = 50;
const shown: readonly ImportStatus[] = ['ReadyForReview', 'Committed', 'Failed'];

export function ImportsPage() {
  const { query } = useLocation();
  const statusId = shown.find((one) => one === query.get('state')) ?? null;
  const page = pageIn(query);
  const list = useKept(
    useResource(`imports ${statusId} ${page}`, () =>
      client.imports.list({ query: { pageSize, page, ...(statusId && { statusId }) } }),
    ),
  );
  useReloadOn(
    useNews('me', ({ type }) => type === 'import.updated'),
    list.reload,
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Imports')}</h1>
      </div>
      <UploadCard />
      <div className="filters">
        <UrlChoice label={t('State')} name="state" chosen={statusId ?? ''} options={allOr(shown)} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={statusId ? t('No import is in this state') : t('No imports yet')}>
              {statusId
                ? t('Choose another state.')
                : t(
                    'An import brings your conversations with another assistant along. You review what is in it before anything is remembered.',
                  )}
            </Empty>
          ) : (
            <>
              <ImportTable imports={found.items} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function ImportTable({ imports }: { imports: readonly ImportDto[] }) {
  const now = useNow();
  return <Table rows={imports} keyOf={({ id }) => id} columns={columns(now)} />;
}

const columns = (now: number): Column<ImportDto>[] => [
  {
    head: t('Archive'),
    className: 'wide',
    cell: ({ id, fileName, fileSizeBytes, errorMessage }) => (
      <>
        <a className="import-name" href={`#/imports/${id}`}>
          <strong>{fileName}</strong>
        </a>
        <div className="small muted">{t('Import {id} · {size}', { id, size: formatBytes(fileSizeBytes) })}</div>
        {errorMessage && <div className="small">{errorMessage}</div>}
      </>
    ),
  },
  { head: t('From'), cell: providerOf },
  {
    head: t('State'),
    cell: (one) => (
      <span className="row wrap">
        <Standing status={one.statusId} />
        {isUnderWay(one) && <Progress label={words(one.statusId)} value={one.progressPercent} max={100} />}
      </span>
    ),
  },
  { head: t('Conversations'), num: true, cell: ({ conversationCount }) => formatNumber(conversationCount) },
  { head: t('Flags'), num: true, cell: ({ scrubFlagCount }) => formatNumber(scrubFlagCount) },
  { head: t('Memories'), num: true, cell: ({ memoryCount }) => formatNumber(memoryCount) },
  { head: t('Uploaded'), cell: ({ createdAtUtc }) => formatAgo(createdAtUtc, now) },
];

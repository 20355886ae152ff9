// What runs have learned: told to the next ones of their role or project, the most useful first.
import '../../styles/people.css';
import '../../styles/memory.css';
import { useState } from 'react';
import type { AgentMemoryDto, AgentMemoryKind } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatPercent, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { LessonActions } from './lesson-actions.tsx';
import { LessonDialog, lessonKinds } from './lesson-dialog.tsx';
import { SectionLinks } from './section-links.tsx';
import { anyOr } from './vocabulary.ts';

const pageSize = 50;
const mostFound = 50;

export function LessonsPage() {
  const [changed, setChanged] = useState<AgentMemoryDto | 'new' | null>(null);
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const kind = lessonKinds.find((one) => one === query.get('kind')) ?? null;
  const page = pageIn(query);
  const list = useLessons(q, kind, page);
  // No event tells of what runs learn for each other.
  useEvery(list.reload);
  const columns = columnsOf(useNow(), setChanged, list.reload);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Lessons')}</h1>
        {may('MemoriesWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setChanged('new')}>
            {t('New lesson')}
          </Button>
        )}
      </div>
      <SectionLinks />
      <div className="memory-bar">
        <SearchField
          label={t('Search lessons by words or meaning')}
          q={q}
          onSearch={(text) => patchQuery({ q: text, page: null })}
        />
        <SelectField
          label={t('Kind')}
          value={kind ?? ''}
          onChange={(value) => patchQuery({ kind: value, page: null })}
          options={anyOr(lessonKinds)}
        />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={q || kind ? t('No lesson matches') : t('No lessons yet')}>
              {q || kind
                ? t('Choose another kind, or say it in other words.')
                : t(
                    'Runs write down what they learn; those that help are told to the next ones first, and useless ones sink.',
                  )}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns} />
              {found.pages && <UrlPages page={page} list={found.pages} />}
            </>
          )
        }
      </Loaded>
      {changed && (
        <LessonDialog
          {...(changed === 'new' ? {} : { lesson: changed })}
          onClose={() => setChanged(null)}
          onDone={list.reload}
        />
      )}
    </div>
  );
}

interface Found {
  items: AgentMemoryDto[];
  /** Null of a search, which has one page. */
  pages: { totalPages: number; hasNextPage: boolean } | null;
}

function useLessons(q: string, kind: AgentMemoryKind | null, page: number) {
  const which = kind === null ? {} : { kind };
  return useKept(
    useResource(`lessons ${q} ${kind} ${page}`, async (): Promise<Found> => {
      if (q) {
        const hits = await client.agentMemories.search({ query: { q, limit: mostFound, ...which } });
        return { items: hits.map(({ memory }) => memory), pages: null };
      }
      const pages = await client.agentMemories.list({ query: { pageSize, page, ...which } });
      return { items: pages.items, pages };
    }),
  );
}

const columnsOf = (
  now: number,
  onChange: (lesson: AgentMemoryDto) => void,
  onDone: () => void,
): Column<AgentMemoryDto>[] => [
  {
    head: t('Lesson'),
    className: 'wide',
    cell: (lesson) => (
      <>
        <div className="row wrap">
          <strong>{lesson.title}</strong>
          {lesson.tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </div>
        <div className="small muted">{lesson.content}</div>
        {lesson.sourceRunId !== null && (
          <a className="small" href={`#/runs/${lesson.sourceRunId}`}>
            {t('learned by run {id}', { id: lesson.sourceRunId })}
          </a>
        )}
      </>
    ),
  },
  { head: t('Kind'), cell: ({ kind }) => words(kind) },
  {
    head: t('For'),
    cell: ({ roleName, projectId }) => roleName ?? (projectId === null ? t('all runs') : t('runs of one project')),
  },
  {
    head: t('Helped'),
    num: true,
    cell: ({ helpedCount, hurtCount, useCount }) =>
      useCount + helpedCount + hurtCount === 0 ? (
        '–'
      ) : (
        <span title={t('told to {n} runs', { n: useCount })}>
          +{helpedCount} −{hurtCount}
        </span>
      ),
  },
  {
    head: t('Sure'),
    cell: ({ confidence }) => (
      <span className="row num">
        <progress value={confidence} max={1} aria-label={t('Sure')} />
        {formatPercent(confidence)}
      </span>
    ),
  },
  {
    head: t('Last told'),
    className: 'small nowrap',
    cell: ({ lastUsedAtUtc }) => (lastUsedAtUtc ? formatAgo(lastUsedAtUtc, now) : t('never')),
  },
  {
    head: '',
    num: true,
    cell: (lesson) =>
      may('MemoriesWrite') && <LessonActions lesson={lesson} onChange={() => onChange(lesson)} onDone={onDone} />,
  },
];

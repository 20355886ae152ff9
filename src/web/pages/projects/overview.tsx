// What goes on in a project: its figures, runs under way, what happened last, and who is in it.
import type { ProjectDetailDto } from '../../../client/index.ts';
import { formatCost, formatNumber, formatPercent, formatShort, plural, t, words } from '../../base/i18n.ts';
import { href } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Figures } from '../../ui/figures.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { ActivityList } from './activity.tsx';

const shownActivity = 8;

export function Overview({ project, news }: { project: ProjectDetailDto; news: number }) {
  return (
    <div className="stack">
      {project.description && <Markdown text={project.description} />}
      <Summary id={project.id} news={news} />
      <div className="cards-2">
        <section className="card" aria-label={t('Latest activity')}>
          <div className="card-head">
            <h2>{t('Latest activity')}</h2>
            <a href={href(`/projects/${project.id}`, { tab: 'activity' })}>{t('All')}</a>
          </div>
          <div className="card-body">
            <Latest id={project.id} news={news} />
          </div>
        </section>
        <section className="card" aria-label={t('Members')}>
          <div className="card-head">
            <h2>{t('Members')}</h2>
          </div>
          <ul className="card-body plain-list">
            {project.ownerName && <Person name={project.ownerName} role={t('Owner')} />}
            {project.leadIdentityName && <Person name={project.leadIdentityName} role={t('Lead')} />}
            {project.members.map((one) => (
              <Person key={one.id} name={one.name} role={words(one.role)} />
            ))}
          </ul>
        </section>
      </div>
    </div>
  );
}

const Person = ({ name, role }: { name: string; role: string }) => (
  <li className="row">
    <span className="grow truncate">{name}</span>
    <span className="muted small">{role}</span>
  </li>
);

function Latest({ id, news }: { id: number; news: number }) {
  const query = { pageSize: shownActivity };
  const list = useKept(useResource(`latest activity ${id}`, () => client.projects.activity({ params: { id }, query })));
  useReloadOn(news, list.reload);
  return <Loaded resource={list}>{({ items }) => <ActivityList items={items} />}</Loaded>;
}

function Summary({ id, news }: { id: number; news: number }) {
  const summary = useKept(
    useResource(`summary of project ${id}`, () => client.projects.summary({ params: { id }, query: {} })),
  );
  useReloadOn(news, summary.reload);
  return (
    <Loaded resource={summary} rows={2}>
      {(one) => {
        const open = ['Backlog', 'Todo', 'InProgress', 'Blocked', 'InReview'];
        const openTasks = open.reduce((sum, status) => sum + (one.tasksByStatus[status] ?? 0), 0);
        return (
          <>
            <section aria-label={t('Summary')} className="stack tight">
              <h2 className="small muted">{plural(one.days, 'Last {n} day', 'Last {n} days')}</h2>
              <Figures
                items={[
                  [t('Open tasks'), formatNumber(openTasks)],
                  [t('Overdue'), formatNumber(one.overdueTaskCount)],
                  [t('Runs'), formatNumber(one.runCount)],
                  [t('Success'), one.runCount === 0 ? '–' : formatPercent(one.successRate)],
                  [t('Tokens'), formatShort(one.tokensUsed)],
                  [t('Cost'), formatCost(one.costUsd)],
                  [t('Open questions'), formatNumber(one.openEscalationCount)],
                  [t('Documents'), formatNumber(one.docCount)],
                  [t('Facts'), formatNumber(one.factCount)],
                  [t('Memories'), formatNumber(one.memoryCount)],
                ]}
              />
            </section>
            {one.activeRuns.length > 0 && (
              <section className="card" aria-label={t('Runs under way')}>
                <div className="card-head">
                  <h2>{t('Runs under way')}</h2>
                </div>
                <ul className="card-body plain-list">
                  {one.activeRuns.slice(0, 10).map((run) => (
                    <li key={run.id} className="row">
                      <a className="grow truncate" href={href(`/runs/${run.id}`)}>
                        {run.goal}
                      </a>
                      <RunStatus status={run.status} />
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

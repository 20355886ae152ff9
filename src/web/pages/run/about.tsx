// Everything else that is known of a run: settings, plan, contract, ids.
import type { ReactNode } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, formatDuration, formatNumber, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Code, Copyable } from '../../ui/code.tsx';
import { Fields } from '../../ui/fields.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';

function Facts({ items }: { items: [string, ReactNode][] }) {
  return (
    <dl className="facts">
      {items
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Deliverable({ runId, status }: { runId: number; status: string }) {
  const check = useResource(`deliverable ${runId} ${status}`, () =>
    client.agentRunFiles.deliverable({ params: { runId } }),
  );
  if (!check.data?.hasContract) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Deliverable')}</h2>
        <Chip shape={check.data.met ? 'tick' : 'hollow'} tone={check.data.met ? 'good' : 'plain'}>
          {check.data.met ? t('Met') : t('Not met')}
        </Chip>
      </div>
      <div className="card-body">
        <Facts
          items={[
            [t('What'), check.data.deliverable],
            [t('Where'), check.data.destination],
            [t('Kind'), check.data.kind],
            [t('Detail'), check.data.detail],
          ]}
        />
      </div>
    </section>
  );
}

function Feedback({ runId }: { runId: number }) {
  const now = useNow();
  const list = useResource(`feedback ${runId}`, () => client.agentFeedback.list({ params: { runId } }));
  useReloadOn(
    useNews(`run:${runId}`, ({ type }) => type === 'run.feedback'),
    list.reload,
  );
  if (!list.data?.items.length) return null;
  return (
    <section className="stack tight">
      <h2>{t('Feedback')}</h2>
      {list.data.items.map((one) => (
        <p key={one.id}>
          <span className="tag">{words(one.rating)}</span> {one.notes}{' '}
          <span className="faint small">
            {one.ratedBy} · {formatAgo(one.createdAtUtc, now)}
          </span>
        </p>
      ))}
    </section>
  );
}

export function AboutTab({ run }: { run: AgentRunDto }) {
  const detail = useResource(`run ${run.id}`, () => client.agentRuns.get({ params: { id: run.id } }));
  useReloadOn(`${run.status} ${run.iterationsUsed}`, detail.reload);
  const time = (iso: string | null) => iso && formatDate(iso);
  return (
    <div className="stack">
      <Deliverable runId={run.id} status={run.status} />
      <Facts
        items={[
          [t('Goal'), <Code key="goal" text={run.goal} />],
          [t('Identity'), run.identityName],
          [t('Tool profile'), run.toolProfileName],
          [t('Reasoning effort'), run.reasoningEffort],
          [t('Created'), time(run.createdAtUtc)],
          [t('Started'), time(run.startedAtUtc)],
          [t('Ended'), time(run.completedAtUtc)],
          [t('Imported'), run.importedAtUtc && time(run.importedAtUtc)],
          [t('Time limit'), formatDuration(run.maxWallClockMs)],
          [t('Prompt tokens'), formatNumber(run.promptTokens)],
          [t('Completion tokens'), formatNumber(run.completionTokens)],
          [t('Review branch'), run.reviewBranch && <Copyable text={run.reviewBranch} />],
          [t('Sandbox'), run.sandboxContainerId && <Copyable text={run.sandboxContainerId} />],
          [t('Deliverable'), run.contractDeliverable],
          [t('GUID'), <Copyable key="guid" text={run.guid} />],
        ]}
      />
      <Feedback runId={run.id} />
      <Loaded resource={detail}>
        {(full) => (
          <>
            {full.planJson && (
              <section className="stack tight">
                <h2>{t('Plan')}</h2>
                <Fields json={full.planJson} none={t('None')} />
              </section>
            )}
            {full.environmentJson && (
              <section className="stack tight">
                <h2>{t('Environment variables')}</h2>
                <Fields json={full.environmentJson} none={t('None')} />
              </section>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

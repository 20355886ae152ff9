// What a session of an identity starts with: built here as a preview, with its receipt and what each item takes.
import '../../styles/people.css';
import '../../styles/memory.css';
import { useState } from 'react';
import type { HydrationDto } from '../../../client/index.ts';
import { formatNumber, formatShort, plural, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Meter } from '../../ui/meter.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { IdentityField, projectOptions, useChosenIdentity, useIdentities, useProjects } from './chosen.tsx';
import { type Item, Receipt, type Removed } from './receipt.tsx';
import { titlesOf } from './receipt-titles.ts';
import { Receipts } from './receipts.tsx';
import { SectionLinks } from './section-links.tsx';

const presets = ['lean', 'interactive', 'all', 'agent-minimal', 'custom'] as const;

export function HydrationPage() {
  const { query } = useLocation();
  const identities = useIdentities();
  const identityId = useChosenIdentity(identities.data?.items);
  const projects = useProjects();
  const set = (name: string) => (value: string) => patchQuery({ [name]: value });
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Start of a session')}</h1>
      </div>
      <SectionLinks />
      <p className="muted">
        {t(
          'Runs and chats of an identity begin with this. It is built here as they would get it; nothing is counted as used.',
        )}
      </p>
      <div className="memory-bar">
        <IdentityField identities={identities.data?.items ?? []} chosen={identityId} />
        {(projects.data?.items.length ?? 0) > 0 && (
          <SelectField
            label={t('Project')}
            value={query.get('project') ?? ''}
            onChange={set('project')}
            options={projectOptions(projects.data?.items ?? [], t('None'))}
          />
        )}
        <SelectField
          label={t('Preset')}
          value={query.get('preset') ?? ''}
          onChange={set('preset')}
          options={[['', t('As configured')], ...presets.map((one) => [one, one.replace('-', ' ')] as const)]}
        />
        <TextField
          label={t('Token budget')}
          type="number"
          required={false}
          value={query.get('budget') ?? ''}
          onChange={set('budget')}
          placeholder={t('none')}
        />
        <SearchField label={t('What the session is about')} q={query.get('q') ?? ''} onSearch={set('q')} />
      </div>
      {identityId !== null && <Preview key={identityId} identityId={identityId} />}
    </div>
  );
}

function Preview({ identityId }: { identityId: number }) {
  const { query } = useLocation();
  const [project, preset, budget, q] = ['project', 'preset', 'budget', 'q'].map((name) => query.get(name));
  const asked = {
    format: 'Markdown' as const,
    ...(project ? { projectId: Number(project) } : {}),
    ...(presets.find((one) => one === preset) ? { preset: presets.find((one) => one === preset) } : {}),
    ...(budget && Number(budget) >= 0 ? { tokenBudget: Math.round(Number(budget)) } : {}),
    ...(q ? { query: q } : {}),
    markSurfaced: false,
  };
  const built = useKept(
    useResource(`hydration ${identityId} ${JSON.stringify(asked)}`, () =>
      client.hydration.get({ params: { identityId }, query: asked }),
    ),
  );
  return (
    <>
      <Loaded resource={built}>{(context) => <Context identityId={identityId} context={context} />}</Loaded>
      <Receipts identityId={identityId} />
    </>
  );
}

function Context({ identityId, context }: { identityId: number; context: HydrationDto }) {
  const { tokenEstimate, tokenBudget, sources, receipt, markdown } = context;
  const [removed, setRemoved] = useState<Removed>([]);
  const replay = useKept(
    useResource(removed.length === 0 ? null : `replay ${receipt.id} ${JSON.stringify(removed)}`, () =>
      client.hydration.replay({ params: { identityId, id: receipt.id }, body: { without: [...removed] } }),
    ),
  );
  const without = removed.length > 0 ? replay.data : null;
  const used = without?.tokenEstimate ?? tokenEstimate;
  const toggle = ({ kind, id }: Item) =>
    setRemoved((all) =>
      all.some((one) => one.kind === kind && one.id === id)
        ? all.filter((one) => one.kind !== kind || one.id !== id)
        : [...all, { kind, id }],
    );
  return (
    <>
      <Meter label={t('Tokens')} used={used} limit={tokenBudget ?? 0} tip={t('What the context takes of the budget')} />
      {without && (
        <p role="status">
          {plural(removed.length, 'Without {n} item', 'Without {n} items')}:{' '}
          {t('{n} tokens less', { n: formatNumber(tokenEstimate - used) })}{' '}
          <Button size="small" onClick={() => setRemoved([])}>
            {t('Put back')}
          </Button>
        </p>
      )}
      <div className="rule-check">
        <section className="stack" aria-label={t('Receipt')}>
          <h2>{t('What is in it, and why')}</h2>
          {receipt.items.length === 0 ? (
            <Empty title={t('Nothing to tell yet')}>
              {t('Pin memories, state facts and rules, or declare interests, and a session starts with them.')}
            </Empty>
          ) : (
            <Receipt items={receipt.items} removed={removed} titles={titlesOf(context)} onToggle={toggle} />
          )}
          <details>
            <summary>{plural(sources.length, '{n} source', '{n} sources')}</summary>
            <Table
              rows={sources}
              keyOf={({ source }) => source}
              columns={[
                { head: t('Source'), cell: ({ source }) => words(source) },
                {
                  head: t('Items'),
                  num: true,
                  cell: ({ enabled, includedCount, candidateCount }) =>
                    enabled ? t('{n} of {all}', { n: includedCount, all: candidateCount }) : t('off'),
                },
                { head: t('Tokens'), num: true, cell: (one) => formatShort(one.tokenEstimate) },
                { head: t('Cut'), cell: ({ truncated }) => (truncated ? t('cut short') : '–') },
              ]}
            />
          </details>
        </section>
        <section className="stack" aria-label={t('Text')}>
          <h2>{t('As the model reads it')}</h2>
          <Code text={without?.markdown ?? markdown ?? ''} />
        </section>
      </div>
    </>
  );
}

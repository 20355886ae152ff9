// Standing rules: those that hold, what they would say of a call, which should be looked at again, and what they brought.
import '../../styles/people.css';
import '../../styles/memory.css';
import type { RuleStatus } from '../../../client/index.ts';
import { useCount } from '../../base/count.ts';
import { allOr, t } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may, server } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { RuleCheck } from './rule-check.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { RuleEffect } from './rule-effect.tsx';
import { RuleReviews } from './rule-reviews.tsx';
import { RuleRow } from './rule-row.tsx';
import { RuleView } from './rule-view.tsx';
import { SectionLinks } from './section-links.tsx';

type TabKey = 'rules' | 'check' | 'review' | 'effect';
const pageSize = 50;
const statuses: readonly RuleStatus[] = ['Active', 'Proposed', 'UnderReview', 'Superseded', 'Withdrawn', 'Expired'];

export function RulesPage() {
  const { query } = useLocation();
  const patch = patchFromHere();
  const [changes, changed] = useCount();
  const own = server.get()?.principal.identity?.id;
  const topic = own === undefined ? null : `identity:${own}`;
  const news = changes + useNews(topic, ({ type }) => type === 'rule.updated');
  const stale = useKept(useResource('stale rules', () => client.standingRules.stale({ query: { limit: 200 } })));
  useReloadOn(news, stale.reload);
  const items: TabItem<TabKey>[] = [
    { key: 'rules', label: t('Rules') },
    { key: 'check', label: t('Try a call') },
    { key: 'review', label: t('To be looked at'), count: stale.data?.length ?? null },
    { key: 'effect', label: t('Effect') },
  ];
  const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'rules';
  // An escalation that was decided can lead here, to become a rule.
  const escalationId = Number(query.get('escalation')) || null;
  const isMaking = query.get('new') !== null || escalationId !== null;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Standing rules')}</h1>
        {may('RulesWrite') && (
          <Button kind="primary" icon="plus" onClick={() => patchQuery({ new: 1 })}>
            {t('New rule')}
          </Button>
        )}
      </div>
      <SectionLinks />
      <Tabs
        label={t('Parts of the rules')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'rules' ? null : key, rule: null })}
      />
      {tab === 'rules' && <RuleList news={news} onChange={changed} />}
      {tab === 'check' && <RuleCheck />}
      {tab === 'review' && <RuleReviews list={stale} onChange={changed} />}
      {tab === 'effect' && <RuleEffect />}
      {isMaking && (
        <RuleDialog
          escalationId={escalationId}
          onClose={() => patchQuery({ new: null, escalation: null })}
          onDone={(id) => {
            changed();
            patch({ rule: id, tab: null });
          }}
        />
      )}
    </div>
  );
}

function RuleList({ news, onChange }: { news: number; onChange: () => void }) {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const status = statuses.find((one) => one === query.get('status'));
  const open = Number(query.get('rule')) || null;
  const page = pageIn(query);
  const list = useKept(
    useResource(`rules ${q} ${status} ${page}`, () =>
      client.standingRules.list({ query: { pageSize, page, ...(q ? { q } : {}), ...(status ? { status } : {}) } }),
    ),
  );
  useReloadOn(news, list.reload);
  // Rules without an owner publish no events.
  useEvery(list.reload);
  return (
    <>
      <div className="filters">
        <SearchField label={t('Search rules')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <UrlChoice label={t('Status')} name="status" chosen={status ?? ''} options={allOr(statuses)} />
      </div>
      <div className="memory-columns" data-open={open !== null}>
        <Loaded resource={list}>
          {(found) =>
            found.items.length === 0 ? (
              <NoRules isNarrowed={q !== '' || status !== undefined} />
            ) : (
              <div className="stack">
                <ul className="memory-list" aria-label={t('Rules')}>
                  {found.items.map((rule) => (
                    <li key={rule.id}>
                      <RuleRow rule={rule} isOpen={rule.id === open} onOpen={() => patchQuery({ rule: rule.id })} />
                    </li>
                  ))}
                </ul>
                <UrlPages page={page} list={found} />
              </div>
            )
          }
        </Loaded>
        {open !== null && <RuleView key={open} id={open} news={news} onChange={onChange} />}
      </div>
    </>
  );
}

function NoRules({ isNarrowed }: { isNarrowed: boolean }) {
  return isNarrowed ? (
    <Empty title={t('No rule matches')}>{t('Choose another status, or search for other words.')}</Empty>
  ) : (
    <Empty title={t('No standing rules yet')}>
      {t(
        'A rule holds agents back before a tool call, a message or a deploy. State one, or decide an escalation and have it remembered.',
      )}
    </Empty>
  );
}

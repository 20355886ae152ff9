// One standing rule: what it says and why, the memories that it stands on, and what may become of it.
import { useState } from 'react';
import type { StandingRuleDetailDto, StandingRuleLinkDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, formatDay, t, words } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { GroundDialog } from './ground-dialog.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { RuleMarks } from './rule-row.tsx';
import { WithdrawRule } from './withdraw-rule.tsx';

interface Props {
  id: number;
  news: number;
  onChange: () => void;
}

export function RuleView({ id, news, onChange }: Props) {
  const detail = useKept(useResource(`rule ${id}`, () => client.standingRules.get({ params: { id } })));
  useReloadOn(news, detail.reload);
  return (
    <section className="card memory-view" aria-label={t('Rule')}>
      <Loaded resource={detail}>
        {(rule) => (
          <>
            <div className="card-head">
              <h2 className="grow memory-name">{rule.assertion}</h2>
              <IconButton icon="close" label={t('Close the rule')} onClick={() => patchQuery({ rule: null })} />
            </div>
            <div className="card-body stack">
              <Shown rule={rule} onChange={onChange} />
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Shown({ rule, onChange }: { rule: StandingRuleDetailDto; onChange: () => void }) {
  const now = useNow();
  const { rationale, statusReason, reviewByUtc, expiresAtUtc, watchKindId, lastSurfacedAtUtc } = rule;
  const dates = [
    t('stated {date}', { date: formatDate(rule.createdAtUtc) }),
    lastSurfacedAtUtc && t('came up last {ago}', { ago: formatAgo(lastSurfacedAtUtc, now) }),
    reviewByUtc && t('review by {date}', { date: formatDay(reviewByUtc) }),
    expiresAtUtc && t('expires {date}', { date: formatDay(expiresAtUtc) }),
    watchKindId !== 'None' && t('watches: {what}', { what: words(watchKindId).toLowerCase() }),
  ];
  return (
    <>
      <RuleMarks rule={rule} />
      {rationale && <p className="memory-content">{rationale}</p>}
      {statusReason && <p className="muted">{statusReason}</p>}
      {rule.supersededByAssertion && (
        <p>
          {t('In its place:')} <a href={`#/memory/rules?rule=${rule.supersededById}`}>{rule.supersededByAssertion}</a>
        </p>
      )}
      {rule.sourceEscalationId !== null && (
        <p>
          <a href="#/escalations?show=all">{t('Proposed by the decision of an escalation')}</a>
        </p>
      )}
      <p className="small muted">{dates.filter(Boolean).join(' · ')}</p>
      {may('RulesWrite') && <Actions rule={rule} onChange={onChange} />}
      <Grounds title={t('It stands on')} links={rule.grounding} rule={rule} onChange={onChange} />
      <Grounds title={t('It is borne out by')} links={rule.evidence} rule={rule} onChange={onChange} />
    </>
  );
}

type Asking = 'edit' | 'withdraw' | 'ground';

function Actions({ rule, onChange }: { rule: StandingRuleDetailDto; onChange: () => void }) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const { busy, act } = useAction();
  const isOver = rule.status === 'Withdrawn' || rule.status === 'Superseded';
  const confirm = () =>
    act(() => client.standingRules.confirm({ params: { id: rule.id }, body: {} })).then((done) => {
      if (!done) return;
      say(t('Confirmed: it holds'));
      onChange();
    });
  const close = () => setAsking(null);
  return (
    <div className="row wrap">
      {!isOver && (
        <>
          <Button
            size="small"
            icon="check"
            kind={rule.status === 'Active' ? 'normal' : 'primary'}
            disabled={busy}
            onClick={() => void confirm()}
          >
            {rule.status === 'Active' ? t('It still holds') : t('Confirm')}
          </Button>
          <Button size="small" icon="edit" onClick={() => setAsking('edit')}>
            {t('Change')}
          </Button>
          <Button size="small" icon="plus" onClick={() => setAsking('ground')}>
            {t('Name a memory')}
          </Button>
          <Button size="small" kind="danger" onClick={() => setAsking('withdraw')}>
            {rule.status === 'Proposed' ? t('Reject') : t('Withdraw')}
          </Button>
        </>
      )}
      {asking === 'edit' && <RuleDialog rule={rule} onClose={close} onDone={onChange} />}
      {asking === 'withdraw' && <WithdrawRule rule={rule} onClose={close} onDone={onChange} />}
      {asking === 'ground' && <GroundDialog rule={rule} onClose={close} onDone={onChange} />}
    </div>
  );
}

interface GroundsProps {
  title: string;
  links: readonly StandingRuleLinkDto[];
  rule: StandingRuleDetailDto;
  onChange: () => void;
}

function Grounds({ title, links, rule, onChange }: GroundsProps) {
  const { busy, act } = useAction();
  if (links.length === 0) return null;
  const drop = (memoryId: number) =>
    void act(() => client.standingRules.unlink({ params: { id: rule.id, memoryId } })).then(
      (done) => done && onChange(),
    );
  return (
    <section className="stack" aria-label={title}>
      <h3>{title}</h3>
      <ul className="memory-list">
        {links.map((one) => (
          <li key={one.memoryId} className="memory-twin">
            {one.memoryTitle === null ? (
              <span className="muted grow">{t('A memory that is private to others')}</span>
            ) : (
              <span className="grow">
                <a href={`#/memory?memory=${one.memoryId}`}>{one.memoryTitle}</a>{' '}
                <span className="muted small">{one.note ?? one.excerpt}</span>
              </span>
            )}
            {may('RulesWrite') && (
              <IconButton
                icon="close"
                label={t('Drop the memory')}
                disabled={busy}
                onClick={() => drop(one.memoryId)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

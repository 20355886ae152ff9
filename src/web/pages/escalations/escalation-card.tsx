// One escalation: what is asked, what is recommended, how long there is, and the decision.
import type { AgentEscalationDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDuration, formatPercent, t, words } from '../../base/i18n.ts';
import { may } from '../../state/app.ts';
import { askedOf } from '../../state/asked.ts';
import { isOpen } from '../../state/escalations.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Chip, State } from '../../ui/status.tsx';
import { AskedForm, AskedText } from './asked-form.tsx';
import { Decide, isLate } from './decide.tsx';
import { isApproval, useProposedCall } from './proposed-call.ts';

export function Countdown({ until, since }: { until: string; since: string }) {
  const now = useNow();
  const left = Date.parse(until) - now;
  const share = Math.max(0, Math.min(1, left / (Date.parse(until) - Date.parse(since))));
  return (
    <span className="countdown num" data-close={left < 60_000} title={t('When it expires, the timeout policy decides')}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" pathLength="1" strokeDasharray={`${share} 1`} />
      </svg>
      {left > 0 ? t('{time} left', { time: formatDuration(left) }) : t('expired')}
    </span>
  );
}

interface Props {
  escalation: AgentEscalationDto;
  selected?: boolean;
  /** Shown where it was asked: no link leads there. */
  here?: boolean;
  /** Makes it small again, where it can be. */
  onFold?: () => void;
}

export function EscalationCard({ escalation, selected = false, here = false, onFold }: Props) {
  const open = isOpen(escalation);
  // The first line says why; the arguments below it are shown to be edited.
  const asked = askedOf(escalation);
  const situation = isApproval(escalation) ? (escalation.situation.split('\n')[0] ?? '') : escalation.situation;
  return (
    <article className="card escalation" data-open={open} data-selected={selected} data-escalation={escalation.id}>
      <Head escalation={escalation} {...(onFold ? { onFold } : {})} />
      <div className="card-body stack">
        {asked ? <AskedText asked={asked} /> : <Markdown text={situation} />}
        {escalation.supervisorRecommendation && (
          <p className="recommendation">
            <strong>{t('Recommended')}</strong> {escalation.supervisorRecommendation}
            {escalation.confidence > 0 && (
              <span className="muted">
                {' '}
                · {t('{share} confidence', { share: formatPercent(escalation.confidence) })}
              </span>
            )}
          </p>
        )}
        {open ? may('EscalationsResolve') && <Open escalation={escalation} /> : <Outcome escalation={escalation} />}
        {!here && (
          <div className="small">
            {escalation.chatSessionId !== null ? (
              <a href={`#/chat/${escalation.chatSessionId}`}>{t('Open the chat')}</a>
            ) : (
              <a href={`#/runs/${escalation.runId}`}>{t('Open run #{id}', { id: escalation.runId ?? 0 })}</a>
            )}
            {escalation.decision !== null && may('RulesWrite') && (
              <>
                {' · '}
                <a href={`#/memory/rules?escalation=${escalation.id}`}>{t('Propose a rule')}</a>
              </>
            )}
          </div>
        )}
      </div>
    </article>
  );
}

function Head({ escalation, onFold }: Pick<Props, 'escalation' | 'onFold'>) {
  const now = useNow();
  const { status, urgencyId, kind, createdAtUtc, timeoutAtUtc } = escalation;
  const urgent = urgencyId === 'High' || urgencyId === 'Critical';
  return (
    <div className="card-head">
      <span className="row wrap">
        <State name={status} />
        {urgencyId && urgencyId !== 'Normal' && (
          <Chip shape="gauge" tone={urgent ? 'bad' : 'plain'}>
            {words(urgencyId)}
          </Chip>
        )}
        <span className="muted small">
          {[kind && words(kind), formatAgo(createdAtUtc, now)].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className="row">
        {isOpen(escalation) && timeoutAtUtc && <Countdown until={timeoutAtUtc} since={createdAtUtc} />}
        {onFold && (
          <button type="button" className="btn" data-size="small" aria-expanded onClick={onFold}>
            {t('Show less')}
          </button>
        )}
      </span>
    </div>
  );
}

/** Waits for what is to be approved, and for a question that is being put better. */
function Open({ escalation }: { escalation: AgentEscalationDto }) {
  const proposed = useProposedCall(escalation);
  const asked = askedOf(escalation);
  if (asked) return <AskedForm key={escalation.id} escalation={escalation} asked={asked} off={isLate(escalation)} />;
  if (escalation.status === 'RevisionRequested') return <p className="muted">{t('A revision was requested.')}</p>;
  if (isApproval(escalation) && !proposed.data && !proposed.error) return <Skeleton rows={3} />;
  const call = proposed.data?.call ?? null;
  return <Decide key={`${escalation.revisionRoundsUsed} ${call?.args}`} escalation={escalation} call={call} />;
}

function Outcome({ escalation }: { escalation: AgentEscalationDto }) {
  return (
    <p className="muted">
      <strong>{escalation.decision ?? words(escalation.status)}</strong>
      {escalation.decidedBy && ` · ${escalation.decidedBy}`}
      {escalation.decisionNotes && ` · ${escalation.decisionNotes}`}
    </p>
  );
}

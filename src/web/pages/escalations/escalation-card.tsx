// One escalation: what is asked, what is recommended, how long there is, and the decision.
import { useState } from 'react';
import type { AgentEscalationDto } from '../../../client/index.ts';
import { serverNow, useNow } from '../../base/clock.ts';
import { formatAgo, formatDuration, formatPercent, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { isOpen, type Option, optionsOf, putEscalation } from '../../state/escalations.ts';
import { Button } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Chip, State } from '../../ui/status.tsx';
import { say, sayError } from '../../ui/toast.tsx';

export interface Decision {
  decision: string;
  decisionNotes?: string;
  requestRevision?: boolean;
  rememberAsRule?: boolean;
  argumentsJson?: string;
}

function Countdown({ until, since }: { until: string; since: string }) {
  const now = useNow();
  const left = Date.parse(until) - now;
  const share = Math.max(0, Math.min(1, left / (Date.parse(until) - Date.parse(since))));
  return (
    <span className="countdown num" data-close={left < 60_000} title={t('Then the timeout policy decides')}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" pathLength="1" strokeDasharray={`${share} 1`} />
      </svg>
      {left > 0 ? t('{time} left', { time: formatDuration(left) }) : t('time is up')}
    </span>
  );
}

/** The tool call that an approval is about, where the escalation says. */
function proposedCall(escalation: AgentEscalationDto): { name: string; args: string } | null {
  if (escalation.kind !== 'toolApproval') return null;
  try {
    const value = JSON.parse(escalation.optionsJson ?? '{}') as Record<string, unknown>;
    const call = (value.toolCall ?? value) as Record<string, unknown>;
    const args = call.argumentsJson ?? call.arguments ?? {};
    return {
      name: String(call.toolName ?? call.name ?? ''),
      args: typeof args === 'string' ? args : JSON.stringify(args, null, 2),
    };
  } catch {
    return null;
  }
}

const pretty = (json: string) => {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
};

export function EscalationCard({
  escalation,
  selected = false,
  here = false,
}: {
  escalation: AgentEscalationDto;
  selected?: boolean;
  /** Shown where it was asked: no link leads there. */
  here?: boolean;
}) {
  const now = useNow();
  const open = isOpen(escalation);
  const urgent = escalation.urgencyId === 'High' || escalation.urgencyId === 'Critical';
  return (
    <article className="card escalation" data-open={open} data-selected={selected} data-escalation={escalation.id}>
      <div className="card-head">
        <span className="row wrap">
          <State name={escalation.status} />
          {escalation.urgencyId && escalation.urgencyId !== 'Normal' && (
            <Chip shape="gauge" tone={urgent ? 'bad' : 'plain'}>
              {words(escalation.urgencyId)}
            </Chip>
          )}
          <span className="muted small">
            {escalation.kind ? words(escalation.kind) : ''} · {formatAgo(escalation.createdAtUtc, now)}
          </span>
        </span>
        {open && escalation.timeoutAtUtc && (
          <Countdown until={escalation.timeoutAtUtc} since={escalation.createdAtUtc} />
        )}
      </div>
      <div className="card-body stack">
        <Markdown text={escalation.situation} />
        {escalation.supervisorRecommendation && (
          <p className="recommendation">
            <strong>{t('Recommended')}</strong> {escalation.supervisorRecommendation}
            {escalation.confidence > 0 && (
              <span className="muted"> · {t('{share} sure', { share: formatPercent(escalation.confidence) })}</span>
            )}
          </p>
        )}
        {open && may('EscalationsResolve') ? (
          <Decide escalation={escalation} />
        ) : (
          !open && <Outcome escalation={escalation} />
        )}
        {!here && (
          <div className="small">
            {escalation.chatSessionId !== null ? (
              <a href={`#/chat/${escalation.chatSessionId}`}>{t('Open the chat')}</a>
            ) : (
              <a href={`#/runs/${escalation.runId}`}>{t('Open run #{id}', { id: escalation.runId })}</a>
            )}
          </div>
        )}
      </div>
    </article>
  );
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

function Decide({ escalation }: { escalation: AgentEscalationDto }) {
  const [notes, setNotes] = useState('');
  const [own, setOwn] = useState('');
  const [remember, setRemember] = useState(false);
  const [busy, setBusy] = useState(false);
  const call = proposedCall(escalation);
  const [args, setArgs] = useState(() => pretty(call?.args ?? ''));
  const edited = call !== null && args !== pretty(call.args);
  const options = call ? approval : optionsOf(escalation);

  const decide = async (decision: Decision) => {
    setBusy(true);
    try {
      const body = {
        ...decision,
        ...(notes ? { decisionNotes: notes } : {}),
        ...(remember ? { rememberAsRule: true } : {}),
      };
      putEscalation(await client.agentEscalations.resolve({ params: { id: escalation.id }, body }));
      say(decision.requestRevision ? t('Revision asked for') : t('Decided'), t('The run goes on.'));
    } catch (error) {
      sayError(error);
    }
    setBusy(false);
  };
  const choose = (option: Option) => decide({ decision: option.key, ...(edited ? { argumentsJson: args } : {}) });
  const revisionsLeft = escalation.maxRevisionRounds - escalation.revisionRoundsUsed;
  const late = escalation.timeoutAtUtc !== null && Date.parse(escalation.timeoutAtUtc) < serverNow();
  return (
    <div className="stack decide">
      {call && (
        <div className="stack tight">
          <span className="small muted">
            {t('It wants to call')} <strong className="mono">{call.name}</strong>
          </span>
          <TextField
            label={t('Arguments, which you may edit')}
            value={args}
            onChange={setArgs}
            rows={Math.min(12, args.split('\n').length + 1)}
            mono
          />
        </div>
      )}
      {!call && options.length === 0 && escalation.optionsJson && <Json value={escalation.optionsJson} />}
      <div className="options">
        {options.map((option, index) => (
          <button
            key={option.key}
            type="button"
            className="option"
            disabled={busy || late}
            onClick={() => void choose(option)}
            data-first={index === 0}
          >
            <strong>{edited && option.key === 'approve' ? t('Approve with the edit') : option.label}</strong>
            {option.detail && <span className="muted small">{option.detail}</span>}
          </button>
        ))}
      </div>
      <details>
        <summary className="small">{t('Say more')}</summary>
        <div className="stack" style={{ paddingTop: 10 }}>
          <TextField label={t('Notes for the run')} value={notes} onChange={setNotes} rows={2} />
          {!call && <TextField label={t('A decision of your own')} value={own} onChange={setOwn} />}
          <CheckField label={t('Remember as a rule for next time')} checked={remember} onChange={setRemember} />
          <div className="row wrap">
            {!call && (
              <Button disabled={busy || !own.trim()} onClick={() => void decide({ decision: own.trim() })}>
                {t('Decide so')}
              </Button>
            )}
            {revisionsLeft > 0 && (
              <Button
                disabled={busy || !notes.trim()}
                onClick={() => void decide({ decision: 'revise', requestRevision: true })}
              >
                {t('Ask for a revision ({n} left)', { n: revisionsLeft })}
              </Button>
            )}
          </div>
        </div>
      </details>
    </div>
  );
}

const approval: Option[] = [
  { key: 'approve', label: 'Approve', detail: null },
  { key: 'reject', label: 'Reject', detail: null },
];

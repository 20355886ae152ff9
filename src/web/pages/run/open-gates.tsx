// Decisions that the tree waits for, as bars that stay in sight where the run is watched.

import { useState } from 'react';
import type { AgentEscalationDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { oneLine } from '../../base/one-line.ts';
import { useStore } from '../../base/store.ts';
import { may } from '../../state/app.ts';
import { pendingDecisions } from '../../state/decisions.ts';
import { escalationStore, isOpen } from '../../state/escalations.ts';
import { Chip } from '../../ui/status.tsx';
import { QuickOptions } from '../escalations/decide.tsx';
import { Countdown, EscalationCard } from '../escalations/escalation-card.tsx';
import { OnItsWay } from '../escalations/pending.tsx';
import { isApproval, isBreakpoint, useProposedCall } from '../escalations/proposed-call.ts';

export function OpenGates({ runIds, here }: { runIds: number[]; here: number }) {
  const all = useStore(escalationStore);
  const ofTree = new Set<number | null>(runIds);
  const open = [...all.values()].filter((escalation) => isOpen(escalation) && ofTree.has(escalation.runId));
  if (open.length === 0) return null;
  return (
    <div className="gate-bars">
      {open.map((escalation) => (
        <GateBar key={escalation.id} escalation={escalation} here={escalation.runId === here} />
      ))}
    </div>
  );
}

/** What is asked, in one line. */
function questionOf(escalation: AgentEscalationDto, call: string | undefined): string {
  if (isBreakpoint(escalation)) return (escalation.situation.split('\n')[0] ?? '').replaceAll('`', '');
  if (isApproval(escalation)) return call ? t('It wants to call {name}', { name: call }) : t('It wants to call a tool');
  return oneLine(escalation.situation);
}

function GateBar({ escalation, here }: { escalation: AgentEscalationDto; here: boolean }) {
  const [open, setOpen] = useState(false);
  const proposed = useProposedCall(escalation);
  const pending = useStore(pendingDecisions).get(escalation.id);
  const urgent = escalation.urgencyId === 'Critical' || escalation.urgencyId === 'High';
  const call = proposed.data?.call;
  const ready =
    may('EscalationsResolve') && escalation.status !== 'RevisionRequested' && (!isApproval(escalation) || call);
  return (
    <section
      className="gate-bar"
      aria-label={t('Waiting for decision #{id}', { id: escalation.id })}
      data-gate={escalation.id}
    >
      {open ? (
        <EscalationCard escalation={escalation} here={here} onFold={() => setOpen(false)} />
      ) : pending ? (
        <OnItsWay id={escalation.id} pending={pending} />
      ) : (
        <div className="gate-row" data-escalation={escalation.id}>
          <Chip shape="gate" tone={urgent ? 'bad' : 'warn'}>
            {urgent && escalation.urgencyId ? words(escalation.urgencyId) : t('Decision')}
          </Chip>
          <span className="gate-question">
            {questionOf(escalation, call?.name)}
            {call && <span className="muted mono small"> {call.args.replace(/\s+/g, ' ')}</span>}
          </span>
          {ready && <QuickOptions escalation={escalation} isApproval={call != null} />}
          {escalation.timeoutAtUtc && <Countdown until={escalation.timeoutAtUtc} since={escalation.createdAtUtc} />}
          <button type="button" className="btn" data-size="small" aria-expanded={false} onClick={() => setOpen(true)}>
            {t('Details')}
          </button>
        </div>
      )}
    </section>
  );
}

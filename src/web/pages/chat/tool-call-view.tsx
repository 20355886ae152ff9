// A tool call of a reply, folded; one that waits for an approval shows the question.
import { useState } from 'react';
import type { ChatToolCallDto } from '../../../client/index.ts';
import { formatDuration, t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { escalationStore, isOpen } from '../../state/escalations.ts';
import { Json } from '../../ui/code.tsx';
import { Icon } from '../../ui/icon.tsx';
import { State } from '../../ui/status.tsx';
import { EscalationCard } from '../escalations/escalation-card.tsx';

export function ToolCallView({ call }: { call: ChatToolCallDto }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="tool">
      <button type="button" className="tool-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="tool" />
        <strong className="mono grow">{call.name}</strong>
        {call.durationMs !== null && <span className="faint small num">{formatDuration(call.durationMs)}</span>}
        <State name={call.status} />
      </button>
      {call.status === 'AwaitingApproval' && <Approval id={call.escalationId} />}
      {open && (
        <div className="tool-body">
          <span className="small muted">{t('Arguments')}</span>
          <Json value={call.argumentsJson} />
          {call.resultJson !== null && (
            <>
              <span className="small muted">{t('Result')}</span>
              <Json value={call.resultJson} />
            </>
          )}
        </div>
      )}
    </div>
  );
}

function Approval({ id }: { id: number | null }) {
  const escalation = useStore(escalationStore).get(id ?? 0);
  if (!escalation || !isOpen(escalation))
    return (
      <p className="tool-body muted small">
        {t('Waiting for approval.')} <a href="#/escalations">{t('Escalations')}</a>
      </p>
    );
  return (
    <div className="tool-body">
      <EscalationCard escalation={escalation} here />
    </div>
  );
}

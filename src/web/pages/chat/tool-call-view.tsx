// A tool call of a reply, folded; one that waits for an approval, or for what it asks, shows the question.
import { useState } from 'react';
import type { ChatToolCallDto } from '../../../client/index.ts';
import { formatDuration, t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { payloadOf } from '../../river/track.ts';
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
        <State name={call.asks === null ? call.status : 'AwaitingAnswer'} />
      </button>
      {councilOf(call) !== null && (
        <p className="tool-body small">
          <a href={`#/councils/${councilOf(call)}`}>{t('Open the debate')}</a>
        </p>
      )}
      {call.status === 'AwaitingApproval' && <Question call={call} />}
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

/** The council that a call has convened. */
function councilOf({ name, resultJson }: ChatToolCallDto): number | null {
  if (name !== 'council_convene' || resultJson === null) return null;
  const { councilId } = payloadOf({ payloadJson: resultJson });
  return typeof councilId === 'number' ? councilId : null;
}

function Question({ call: { escalationId, asks } }: { call: ChatToolCallDto }) {
  const escalation = useStore(escalationStore).get(escalationId ?? 0);
  if (!escalation || !isOpen(escalation))
    return (
      <p className="tool-body muted small">
        {asks === null ? t('Waiting for approval.') : t('Waiting for an answer.')}{' '}
        <a href="#/escalations">{t('Escalations')}</a>
      </p>
    );
  return (
    <div className="tool-body">
      <EscalationCard escalation={escalation} here />
    </div>
  );
}

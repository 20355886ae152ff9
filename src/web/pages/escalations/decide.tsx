// The decision: one of the options, words of one's own, an edited tool call, or a better question first.
import { useState } from 'react';
import type { AgentEscalationDto } from '../../../client/index.ts';
import { serverNow } from '../../base/clock.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { type Option, optionsOf, putEscalation } from '../../state/escalations.ts';
import { Button } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import type { ProposedCall } from './proposed-call.ts';

interface Decision {
  decision: string;
  requestRevision?: boolean;
  argumentsJson?: string;
}

const approval: Option[] = [
  { key: 'approve', label: 'Approve', detail: null },
  { key: 'reject', label: 'Reject', detail: null },
];

interface Props {
  escalation: AgentEscalationDto;
  /** Set where a tool call is to be approved. */
  call: ProposedCall | null;
}

export function Decide({ escalation, call }: Props) {
  const [notes, setNotes] = useState('');
  const [remember, setRemember] = useState(false);
  const [args, setArgs] = useState(call?.args ?? '');
  const [busy, setBusy] = useState(false);
  const edited = call !== null && args !== call.args;
  const broken = edited && !isJson(args);
  const options = call ? approval : optionsOf(escalation);
  const late = escalation.timeoutAtUtc !== null && Date.parse(escalation.timeoutAtUtc) < serverNow();

  const decide = async (decision: Decision) => {
    setBusy(true);
    try {
      const body = {
        ...decision,
        ...(notes ? { decisionNotes: notes } : {}),
        ...(remember && !decision.requestRevision ? { rememberAsRule: true } : {}),
      };
      putEscalation(await client.agentEscalations.resolve({ params: { id: escalation.id }, body }));
      say(decision.requestRevision ? t('Revision asked for') : t('Decided'), t('It goes on.'));
    } catch (error) {
      sayError(error);
    }
    setBusy(false);
  };
  return (
    <div className="stack decide">
      {call && <EditableCall call={call} args={args} broken={broken} onChange={setArgs} />}
      {!call && options.length === 0 && escalation.optionsJson && <Json value={escalation.optionsJson} />}
      <Options
        options={edited ? options.map(asEdited) : options}
        isOff={({ key }) => busy || late || (broken && key === 'approve')}
        onChoose={({ key }) => void decide({ decision: key, ...(edited ? { argumentsJson: args } : {}) })}
      />
      <details open={options.length === 0}>
        <summary className="small">{t('Say more')}</summary>
        <div className="stack more">
          <TextField label={t('Notes that go with the decision')} value={notes} onChange={setNotes} rows={2} />
          {!call && <OwnDecision busy={busy} onDecide={(decision) => void decide({ decision })} />}
          {escalation.runId !== null && (
            <CheckField
              label={t('Give the same question of this run and its children the same answer from now on')}
              checked={remember}
              onChange={setRemember}
            />
          )}
          <Revision
            left={escalation.maxRevisionRounds - escalation.revisionRoundsUsed}
            disabled={busy || !notes.trim()}
            onAsk={() => void decide({ decision: notes.trim(), requestRevision: true })}
          />
        </div>
      </details>
    </div>
  );
}

const asEdited = (option: Option): Option =>
  option.key === 'approve' ? { ...option, label: 'Approve with the edit' } : option;

interface OptionsProps {
  options: readonly Option[];
  isOff: (option: Option) => boolean;
  onChoose: (option: Option) => void;
}

function Options({ options, isOff, onChoose }: OptionsProps) {
  return (
    <div className="options">
      {options.map((option, index) => (
        <button
          key={option.key}
          type="button"
          className="option"
          disabled={isOff(option)}
          onClick={() => onChoose(option)}
          data-first={index === 0}
        >
          <strong>{t(option.label)}</strong>
          {option.detail && <span className="muted small">{option.detail}</span>}
        </button>
      ))}
    </div>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface CallProps {
  call: ProposedCall;
  args: string;
  /** The arguments cannot be sent as they are. */
  broken: boolean;
  onChange: (args: string) => void;
}

function EditableCall({ call, args, broken, onChange }: CallProps) {
  return (
    <div className="stack tight">
      <span className="small muted">
        {t('It wants to call')} <strong className="mono">{call.name}</strong>
      </span>
      <TextField
        label={t('Arguments, which you may edit')}
        value={args}
        onChange={onChange}
        rows={Math.min(12, args.split('\n').length + 1)}
        mono
        {...(broken ? { hint: t('This is not JSON') } : {})}
      />
    </div>
  );
}

function OwnDecision({ busy, onDecide }: { busy: boolean; onDecide: (decision: string) => void }) {
  const [own, setOwn] = useState('');
  return (
    <div className="row end">
      <div className="grow">
        <TextField label={t('A decision of your own')} value={own} onChange={setOwn} />
      </div>
      <Button disabled={busy || !own.trim()} onClick={() => onDecide(own.trim())}>
        {t('Decide so')}
      </Button>
    </div>
  );
}

function Revision({ left, disabled, onAsk }: { left: number; disabled: boolean; onAsk: () => void }) {
  if (left <= 0) return null;
  return (
    <div className="row wrap">
      <Button disabled={disabled} onClick={onAsk}>
        {t('Ask for a revision ({n} left)', { n: left })}
      </Button>
      <span className="faint small">{t('Your notes say what is missing.')}</span>
    </div>
  );
}

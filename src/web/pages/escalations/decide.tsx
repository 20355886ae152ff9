// The decision: one of the options, words of one's own, an edited tool call, or a better question first.
import { type ReactNode, useState } from 'react';
import type { AgentEscalationDto } from '../../../client/index.ts';
import { serverNow } from '../../base/clock.ts';
import { useDraft } from '../../base/draft.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { type Decision, decideSoon, pendingDecisions } from '../../state/decisions.ts';
import { isGrave, type Option, optionsOf, recommendedOf } from '../../state/options.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Chip } from '../../ui/status.tsx';
import { AskOnce, OnItsWay } from './pending.tsx';
import { isBreakpoint, type ProposedCall } from './proposed-call.ts';

const approval: Option[] = [
  { key: 'approve', label: 'Approve', detail: null, irreversible: false },
  { key: 'reject', label: 'Reject', detail: null, irreversible: false },
];

/** What a call at a breakpoint can come to. */
const atBreakpoint: Option[] = [
  { key: 'continue', label: 'Continue', detail: null, irreversible: false },
  { key: 'skip', label: 'Skip the call', detail: null, irreversible: false },
  { key: 'cancel', label: 'Cancel the run', detail: null, irreversible: false },
];

const optionsFor = (escalation: AgentEscalationDto, isCall: boolean): Option[] => {
  if (isBreakpoint(escalation)) return atBreakpoint;
  return isCall ? approval : optionsOf(escalation);
};

interface Props {
  escalation: AgentEscalationDto;
  /** Set where a tool call is to be approved. */
  call: ProposedCall | null;
}

/** What was chosen, before it is sent. */
interface Chosen {
  label: string;
  decision: Decision;
  option: Option | null;
}

/** What is written about an escalation, which survives a reload until the decision is made. */
function useWriting({ id, revisionRoundsUsed }: AgentEscalationDto, call: ProposedCall | null) {
  const round = `escalation.${id}.${revisionRoundsUsed}`;
  const notes = useDraft(`${round}.notes`);
  const own = useDraft(`${round}.own`);
  const args = useDraft(`${round}.args`, call?.args ?? '');
  const clear = () => {
    for (const draft of [notes, own, args]) draft.clear();
  };
  return { notes, own, args, clear };
}

/** Takes a choice: what is grave is asked about once more, the rest is sent soon, with the comment. */
function useChoice(escalation: AgentEscalationDto, about: () => Partial<Decision>, onDone: () => void) {
  const [asking, setAsking] = useState<Chosen | null>(null);
  const decide = ({ label, decision }: Chosen) => {
    const { rememberAsRule, ...rest } = about();
    const asRule = rememberAsRule && !decision.requestRevision ? { rememberAsRule } : {};
    setAsking(null);
    decideSoon(escalation, { label, decision: { ...decision, ...rest, ...asRule }, onDone });
  };
  const choose = (chosen: Chosen) =>
    !chosen.decision.requestRevision && isGrave(escalation, chosen.option) ? setAsking(chosen) : decide(chosen);
  const question = asking && (
    <AskOnce
      label={asking.label}
      critical={escalation.urgencyId === 'Critical'}
      onConfirm={() => decide(asking)}
      onBack={() => setAsking(null)}
    />
  );
  return { choose, question };
}

export const isLate = ({ timeoutAtUtc }: AgentEscalationDto) =>
  timeoutAtUtc !== null && Date.parse(timeoutAtUtc) < serverNow();

export function Decide({ escalation, call }: Props) {
  const { notes, own, args, clear } = useWriting(escalation, call);
  const [remember, setRemember] = useState(false);
  const said = () => ({
    ...(notes.text ? { decisionNotes: notes.text } : {}),
    ...(remember ? { rememberAsRule: true } : {}),
  });
  const { choose, question } = useChoice(escalation, said, clear);
  const pending = useStore(pendingDecisions).get(escalation.id);
  const edited = call !== null && args.text !== call.args;
  const broken = edited && !isJson(args.text);
  const options = optionsFor(escalation, call !== null);
  const stops = isBreakpoint(escalation);
  const take = (option: Option) =>
    choose({
      label: t(option.label),
      option,
      decision: { decision: option.key, ...(edited ? { argumentsJson: args.text } : {}) },
    });

  if (pending) return <OnItsWay id={escalation.id} pending={pending} />;
  if (question) return question;
  return (
    <div className="stack decide">
      {call && <EditableCall call={call} args={args.text} broken={broken} onChange={args.write} />}
      {!call && escalation.optionsJson && !isJson(escalation.optionsJson) && (
        <p className="muted">{escalation.optionsJson}</p>
      )}
      <Options
        options={edited ? options.map(asEdited) : options}
        recommended={recommendedOf(escalation, options)}
        isOff={({ key }) => isLate(escalation) || (broken && (key === 'approve' || key === 'continue'))}
        onChoose={take}
      />
      <More open={stops || options.length === 0 || notes.text !== '' || own.text !== ''}>
        <TextField
          label={stops ? t('Result of a skipped call, told to the agent') : t('Comment')}
          value={notes.text}
          onChange={notes.write}
          rows={2}
        />
        {!call && (
          <OwnDecision
            text={own.text}
            onChange={own.write}
            onDecide={(decision) => choose({ label: decision, option: null, decision: { decision } })}
          />
        )}
        {escalation.runId !== null && !stops && (
          <CheckField
            label={t('Remember this answer for this run and its children')}
            checked={remember}
            onChange={setRemember}
          />
        )}
        <Revision escalation={escalation} comment={notes.text.trim()} onAsk={choose} />
      </More>
    </div>
  );
}

const asEdited = (option: Option): Option => {
  if (option.key === 'continue') return { ...option, label: 'Continue with the edit' };
  return option.key === 'approve' ? { ...option, label: 'Approve with the edit' } : option;
};

/** The options alone, for a bar: what is grave is asked about once more here too. */
export function QuickOptions({ escalation, isApproval }: { escalation: AgentEscalationDto; isApproval: boolean }) {
  const options = optionsFor(escalation, isApproval);
  const { choose, question } = useChoice(
    escalation,
    () => ({}),
    () => undefined,
  );
  if (question) return question;
  return (
    <Options
      options={options}
      recommended={recommendedOf(escalation, options)}
      isOff={() => isLate(escalation)}
      onChoose={(option) => choose({ label: t(option.label), option, decision: { decision: option.key } })}
    />
  );
}

function More({ open, children }: { open: boolean; children: ReactNode }) {
  return (
    <details open={open}>
      <summary className="small">{t('Add a comment, or answer differently')}</summary>
      <div className="stack more">{children}</div>
    </details>
  );
}

interface OptionsProps {
  options: readonly Option[];
  /** Key of the one that is recommended. */
  recommended: string | null;
  isOff: (option: Option) => boolean;
  onChoose: (option: Option) => void;
}

function Options({ options, recommended, isOff, onChoose }: OptionsProps) {
  return (
    <div className="options">
      {options.map((option) => (
        <button
          key={option.key}
          type="button"
          className="option"
          disabled={isOff(option)}
          onClick={() => onChoose(option)}
          data-recommended={option.key === recommended}
        >
          <strong>{t(option.label)}</strong>
          {option.key === recommended && (
            <Chip shape="tick" tone="accent">
              {t('Recommended')}
            </Chip>
          )}
          {option.irreversible && (
            <Chip shape="gate" tone="warn">
              {t('Irreversible')}
            </Chip>
          )}
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
        label={t('Arguments (editable)')}
        value={args}
        onChange={onChange}
        rows={Math.min(12, args.split('\n').length + 1)}
        mono
        {...(broken ? { hint: t('This is not valid JSON') } : {})}
      />
    </div>
  );
}

interface OwnProps {
  text: string;
  onChange: (text: string) => void;
  onDecide: (decision: string) => void;
}

function OwnDecision({ text, onChange, onDecide }: OwnProps) {
  return (
    <div className="row end">
      <div className="grow">
        <TextField label={t('A different answer')} value={text} onChange={onChange} />
      </div>
      <Button disabled={!text.trim()} onClick={() => onDecide(text.trim())}>
        {t('Submit')}
      </Button>
    </div>
  );
}

interface RevisionProps {
  escalation: AgentEscalationDto;
  comment: string;
  onAsk: (chosen: Chosen) => void;
}

function Revision({ escalation, comment, onAsk }: RevisionProps) {
  const left = escalation.maxRevisionRounds - escalation.revisionRoundsUsed;
  if (left <= 0) return null;
  const ask = () =>
    onAsk({
      label: t('Request a revision'),
      option: null,
      decision: { decision: comment, requestRevision: true },
    });
  return (
    <div className="row wrap">
      <Button disabled={!comment} onClick={ask}>
        {t('Request a revision ({n} left)', { n: left })}
      </Button>
      <span className="faint small">{t('Your comment says what is missing.')}</span>
    </div>
  );
}

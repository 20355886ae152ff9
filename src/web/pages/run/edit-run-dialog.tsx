// Edits the state of a run as it stood after a turn or at a checkpoint, and runs it again from there as a new run.
import { useState } from 'react';
import type { RunStateDto, RunStateMessageDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ModelField } from '../runs/new-run-dialog.tsx';

/** A place in a run that it can go on from. */
export type Place = { turn: number } | { checkpointId: string };

interface Edited {
  goal?: string;
  summary?: string;
  texts: Record<number, string>;
  /** Arguments of calls, by `callKey`. */
  calls: Record<string, string>;
  /** Index of the first message that is left out. */
  dropFrom: number | null;
  message: string;
  modelId: string;
}

const callKey = (index: number, callId: string) => `${index} ${callId}`;

function bodyOf(state: RunStateDto, place: Place, edited: Edited) {
  const { goal = state.goal, summary = state.summary, texts, dropFrom, message, modelId } = edited;
  const isLeftOut = (index: number) => dropFrom !== null && index >= dropFrom;
  const messages = state.messages.flatMap(({ index, text }) =>
    (texts[index] ?? text) === text || isLeftOut(index) ? [] : [{ index, text: texts[index]! }],
  );
  const calls = state.messages.flatMap(({ index, toolCalls }) =>
    toolCalls.flatMap(({ id, argumentsJson: before }) => {
      const argumentsJson = edited.calls[callKey(index, id)] ?? before;
      return argumentsJson === before || isLeftOut(index) ? [] : [{ index, callId: id, argumentsJson }];
    }),
  );
  return {
    ...place,
    autoStart: true,
    ...(goal === state.goal ? {} : { goal }),
    ...(message ? { message } : {}),
    ...(modelId ? { modelId } : {}),
    edits: {
      ...(summary === state.summary ? {} : { summary }),
      ...(messages.length > 0 ? { messages } : {}),
      ...(calls.length > 0 ? { calls } : {}),
      ...(dropFrom === null ? {} : { dropFrom }),
    },
  };
}

export function EditRunDialog({ runId, place, onClose }: { runId: number; place: Place; onClose: () => void }) {
  const key = 'turn' in place ? `turn ${place.turn}` : place.checkpointId;
  const state = useResource(`state ${runId} ${key}`, (signal) =>
    client.agentRuns.state({ params: { id: runId }, query: place, signal }),
  );
  const [edited, setEdited] = useState<Edited>({ texts: {}, calls: {}, dropFrom: null, message: '', modelId: '' });
  const change = (more: Partial<Edited>) => setEdited((now) => ({ ...now, ...more }));
  const run = async () => {
    const goOn = goFromHere();
    if (!state.data) return;
    const made = await client.agentRuns.fork({ params: { id: runId }, body: bodyOf(state.data, place, edited) });
    goOn(`/runs/${made.id}`);
  };
  const turn = 'turn' in place ? place.turn : state.data?.turn;
  return (
    <FormDialog
      title={
        turn === undefined
          ? t('Edit and run again')
          : t('Edit run #{id} after turn {n} and run again', { id: runId, n: turn })
      }
      action={t('Run again from here')}
      ready={state.data !== undefined}
      wide
      onSubmit={run}
      onClose={onClose}
    >
      <Loaded resource={state}>
        {(found) => (
          <>
            <p className="muted small">
              {t('A new run begins with this state. Run #{id} stays as it is.', { id: runId })}
            </p>
            <TextField
              label={t('Goal')}
              value={edited.goal ?? found.goal}
              onChange={(goal) => change({ goal })}
              rows={2}
              required
            />
            {found.summary !== null && (
              <TextField
                label={t('Summary of older turns')}
                value={edited.summary ?? found.summary}
                onChange={(summary) => change({ summary })}
                rows={4}
                required
              />
            )}
            <Messages state={found} edited={edited} onChange={change} />
            <TextField
              name="message"
              label={t('Instruction before the next step')}
              value={edited.message}
              onChange={(message) => change({ message })}
              rows={2}
            />
            <ModelField value={edited.modelId} onChange={(modelId) => change({ modelId })} />
          </>
        )}
      </Loaded>
    </FormDialog>
  );
}

interface MessagesProps {
  state: RunStateDto;
  edited: Edited;
  onChange: (more: Partial<Edited>) => void;
}

function Messages({ state: { messages }, edited: { texts, calls, dropFrom }, onChange }: MessagesProps) {
  if (messages.length === 0) return <p className="muted">{t('It had done nothing yet.')}</p>;
  const kept = messages.filter(({ index }) => dropFrom === null || index < dropFrom);
  return (
    <section className="stack tight" aria-label={t('Messages')}>
      <h3>{t('Messages')}</h3>
      {kept.map((one) => (
        <Message
          key={one.index}
          message={one}
          text={texts[one.index] ?? one.text}
          onChange={(text) => onChange({ texts: { ...texts, [one.index]: text } })}
          argumentsOf={(callId, before) => calls[callKey(one.index, callId)] ?? before}
          onArguments={(callId, json) => onChange({ calls: { ...calls, [callKey(one.index, callId)]: json } })}
          onDrop={one.role === 'tool' ? null : () => onChange({ dropFrom: one.index })}
        />
      ))}
      {dropFrom !== null && (
        <div className="row wrap banner" data-tone="warn">
          <span className="grow">
            {t('Left out: {n} messages from turn {turn} on.', {
              n: messages.length - kept.length,
              turn: messages[kept.length]?.turn ?? 0,
            })}
          </span>
          <Button size="small" onClick={() => onChange({ dropFrom: null })}>
            {t('Keep them')}
          </Button>
        </div>
      )}
    </section>
  );
}

const nameOf = ({ role, toolName, turn }: RunStateMessageDto) => {
  if (role === 'tool') return t('Turn {n}: result of {tool}', { n: turn, tool: toolName ?? '' });
  return role === 'assistant' ? t('Turn {n}: answer', { n: turn }) : t('Turn {n}: message to the agent', { n: turn });
};

interface MessageProps {
  message: RunStateMessageDto;
  text: string;
  onChange: (text: string) => void;
  argumentsOf: (callId: string, before: string) => string;
  onArguments: (callId: string, argumentsJson: string) => void;
  /** Null where it cannot be left out without what it belongs to. */
  onDrop: (() => void) | null;
}

const rowsOf = (text: string) => Math.min(10, Math.max(2, text.split('\n').length, Math.ceil(text.length / 90)));

function Message({ message, text, onChange, argumentsOf, onArguments, onDrop }: MessageProps) {
  return (
    <div className="state-message stack tight" data-role={message.role}>
      <TextField
        label={nameOf(message)}
        value={text}
        onChange={onChange}
        rows={rowsOf(text)}
        mono={message.role === 'tool'}
      />
      {message.toolCalls.map((call) => (
        <TextField
          key={call.id}
          label={t('Arguments of {tool}', { tool: call.name })}
          value={argumentsOf(call.id, call.argumentsJson)}
          onChange={(json) => onArguments(call.id, json)}
          rows={rowsOf(argumentsOf(call.id, call.argumentsJson))}
          mono
        />
      ))}
      {onDrop && (
        <div>
          <Button size="small" kind="plain" onClick={onDrop}>
            {t('Leave out from here on')}
          </Button>
        </div>
      )}
    </div>
  );
}

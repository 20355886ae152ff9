// Tries a prompt on one model or several side by side, and says without a call which model a request would get.
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { AIRouteDecisionDto } from '../../../client/index.ts';
import { formatNumber, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { costOf } from '../../state/run-figures.ts';
import { type Trial, tryOut, untried } from '../../state/trial.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { sayError } from '../../ui/toast.tsx';
import { DecisionView } from './decision-view.tsx';

/** The trials under way and done, by model id; an empty one is the model that the routes choose. */
function useTrials() {
  const [trials, setTrials] = useState<ReadonlyMap<string, Trial>>(new Map());
  const [busy, setBusy] = useState(false);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const stop = () => {
    abort.current.abort();
    setBusy(false);
  };
  const start = async (models: readonly string[], system: string, message: string) => {
    stop();
    const own = new AbortController();
    abort.current = own;
    setBusy(true);
    setTrials(new Map(models.map((id) => [id, untried])));
    const put = (id: string) => (trial: Trial) => setTrials((all) => new Map(all).set(id, trial));
    await Promise.all(models.map((id) => tryOut(id, { system, message }, own.signal, put(id))));
    if (abort.current === own) setBusy(false);
  };
  return { trials, busy, start, stop };
}

export function Playground() {
  const [message, setMessage] = useState('');
  const [system, setSystem] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(['']);
  const [decision, setDecision] = useState<AIRouteDecisionDto | null>(null);
  const { trials, busy, start, stop } = useTrials();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (message.trim() && chosen.length > 0) void start(chosen, system.trim(), message.trim());
  };
  const resolve = () => {
    const model = chosen.find((id) => id !== '');
    client.aiRoutes.resolve({ query: model ? { model } : {} }).then(setDecision, sayError);
  };
  return (
    <div className="two">
      <form className="stack" onSubmit={submit}>
        <TextField label={t('Prompt')} value={message} onChange={setMessage} rows={5} required />
        <details>
          <summary>{t('Instructions')}</summary>
          <TextField label={t('System prompt')} value={system} onChange={setSystem} rows={3} />
        </details>
        <ModelChoice chosen={chosen} onChange={setChosen} />
        <div className="row wrap">
          {busy ? (
            <Button icon="stop" onClick={stop}>
              {t('Stop')}
            </Button>
          ) : (
            <Button type="submit" kind="primary" icon="send" disabled={!message.trim() || chosen.length === 0}>
              {t('Send')}
            </Button>
          )}
          <Button onClick={resolve} tip={t('The model that this request would use now; no model is called.')}>
            {t('Dry run')}
          </Button>
        </div>
      </form>
      <div className="stack" aria-live="polite">
        {decision && (
          <section className="card" aria-label={t('Dry run')}>
            <div className="card-body">
              <DecisionView decision={decision} />
            </div>
          </section>
        )}
        {trials.size === 0 && !decision && (
          <p className="muted">
            {t('Answers appear here side by side, with latency and cost. These calls are billed and recorded.')}
          </p>
        )}
        {Array.from(trials, ([id, trial]) => (
          <TrialCard key={id} name={trial.result?.modelId || id || t('the selected model')} trial={trial} busy={busy} />
        ))}
      </div>
    </div>
  );
}

interface ChoiceProps {
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** The server answers at most so many side by side without a wait. */
const mostModels = 6;

function ModelChoice({ chosen, onChange }: ChoiceProps) {
  const models = useResource('try models', () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Chat', pageSize: 200 } }),
  );
  const known = models.data?.items.map((one) => [one.modelId, one.modelId] as const) ?? [];
  const choices = [['', t('automatic')] as const, ...known];
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset className="choice-list">
      <legend>{t('Models')}</legend>
      {choices.map(([id, name]) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            disabled={!chosen.includes(id) && chosen.length >= mostModels}
            onChange={() => toggle(id)}
          />
          <span className={id ? 'mono small' : 'small'}>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TrialCard({ name, trial, busy }: { name: string; trial: Trial; busy: boolean }) {
  const { result, error, text, reasoning } = trial;
  const going = busy && !result && !error;
  return (
    <section className="card" aria-label={name}>
      <div className="card-head">
        <h2 className="mono">{name}</h2>
        {result && <span className="muted small num">{figuresOf(result)}</span>}
        {!going && !result && !error && <span className="muted small">{t('Stopped')}</span>}
      </div>
      <div className="card-body stack">
        {reasoning && <p className="reasoning-text muted">{reasoning}</p>}
        {(text || going) && <Markdown text={text || ' '} streaming={going} />}
        {error && <p className="failure">{error}</p>}
      </div>
    </section>
  );
}

function figuresOf(result: NonNullable<Trial['result']>): string {
  const { timeToFirstTokenMs, latencyMs, promptTokens, completionTokens, costUsd, modelId } = result;
  return [
    timeToFirstTokenMs === null ? '' : t('time to first token {ms} ms', { ms: formatNumber(timeToFirstTokenMs) }),
    t('{ms} ms', { ms: formatNumber(latencyMs) }),
    t('{n} tokens', { n: formatNumber(completionTokens) }),
    costOf(costUsd, promptTokens + completionTokens, modelId),
  ]
    .filter(Boolean)
    .join(' · ');
}

// What an MCP server asks: its form to be filled in, or the address that it wants opened. What it says is shown as plain text.
import type { FormEvent } from 'react';
import type { AgentEscalationDto } from '../../../client/index.ts';
import { useDraft } from '../../base/draft.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { type Asked, type AskedField, answerOf, type Filled, shownIn } from '../../state/asked.ts';
import { decideSoon, pendingDecisions } from '../../state/decisions.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, Field, SelectField } from '../../ui/field.tsx';
import { OnItsWay } from './pending.tsx';

/** Who asks, and what it says. */
export function AskedText({ asked: { server, tool, message, problem, url } }: { asked: Asked }) {
  return (
    <div className="stack tight asked">
      <p className="muted small">
        {url
          ? t('{server} wants you to open an address while {tool} is called.', { server, tool })
          : t('{server} asks this while {tool} is called. What you answer is sent to that server.', { server, tool })}
      </p>
      {message && <p>{message}</p>}
      {problem && (
        <p className="banner" data-tone="warn" role="alert">
          {t('The last answer did not fit: {problem}', { problem })}
        </p>
      )}
    </div>
  );
}

export function AskedForm({ escalation, asked, off }: { escalation: AgentEscalationDto; asked: Asked; off: boolean }) {
  const { text, write, clear } = useDraft(`escalation.${escalation.id}.form`, '{}');
  const pending = useStore(pendingDecisions).get(escalation.id);
  const filled = JSON.parse(text) as Filled;
  const decide = (label: string, decision: string) =>
    decideSoon(escalation, { label, decision: { decision }, onDone: clear });
  if (pending) return <OnItsWay id={escalation.id} pending={pending} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    decide(t('Answered'), asked.url ? 'done' : answerOf(asked, filled));
  };
  return (
    <form className="stack decide asked" onSubmit={submit} aria-label={t('Answer {server}', { server: asked.server })}>
      {asked.url && <Address url={asked.url} />}
      {Object.entries(asked.fields ?? {}).map(([name, field]) => (
        <AskedInput
          key={name}
          name={name}
          field={field}
          needed={asked.required?.includes(name) ?? false}
          value={shownIn(name, field, filled)}
          onChange={(value) => write(JSON.stringify({ ...filled, [name]: value }))}
        />
      ))}
      <div className="row wrap">
        <Button type="submit" kind="primary" disabled={off}>
          {asked.url ? t('I have opened it') : t('Send the answer')}
        </Button>
        <Button disabled={off} onClick={() => decide(t('Decline'), 'decline')}>
          {t('Decline')}
        </Button>
      </div>
    </form>
  );
}

/** An address whole, with its host apart: nobody opens one that they have not seen. */
function Address({ url }: { url: string }) {
  const { host } = new URL(url);
  return (
    <div className="stack tight">
      <p>
        {t('It is at')} <strong>{host}</strong>
      </p>
      <p className="mono small">{url}</p>
      <p>
        <a className="btn" href={url} target="_blank" rel="noopener noreferrer">
          {t('Open {host}', { host })}
        </a>
      </p>
      <p className="muted small">{t('Open it only if you trust it. Nothing of it passes through here.')}</p>
    </div>
  );
}

interface InputProps {
  name: string;
  field: AskedField;
  needed: boolean;
  value: string | boolean | string[];
  onChange: (value: string | boolean | string[]) => void;
}

function AskedInput({ name, field, needed, value, onChange }: InputProps) {
  const { type, title, description, choices, labels } = field;
  const called = title || name;
  const label = needed ? called : t('{name} (may be left out)', { name: called });
  const about = description ? { hint: description } : {};
  const options = (choices ?? []).map((one, n) => [one, labels?.[n] ?? one] as const);
  if (type === 'boolean')
    return (
      <div className="stack tight">
        <CheckField label={called} checked={value === true} onChange={onChange} />
        {description && <span className="hint">{description}</span>}
      </div>
    );
  if (Array.isArray(value) && choices)
    return (
      <fieldset className="choices">
        <legend>{label}</legend>
        {options.map(([one, text]) => (
          <CheckField
            key={one}
            label={text}
            checked={value.includes(one)}
            onChange={(on) => onChange(choices.filter((other) => (other === one ? on : value.includes(other))))}
          />
        ))}
        {description && <span className="hint">{description}</span>}
      </fieldset>
    );
  if (choices) {
    const none = [['', t('Choose…')] as const];
    return (
      <SelectField label={label} value={String(value)} onChange={onChange} options={[...none, ...options]} {...about} />
    );
  }
  return (
    <Field label={label} {...about}>
      {(id) => (
        <input
          id={id}
          className="input"
          {...limitsOf(field)}
          required={needed}
          autoComplete="off"
          value={Array.isArray(value) ? value.join(', ') : String(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

const typesOfFormats: Readonly<Record<string, string>> = { email: 'email', uri: 'url', date: 'date' };

/** What a browser holds people to; the server checks the answer all the same. */
function limitsOf({ type, format, minimum, maximum, minLength, maxLength }: AskedField) {
  if (type === 'number' || type === 'integer')
    return { type: 'number', step: type === 'integer' ? 1 : 'any', min: minimum, max: maximum };
  return { type: typesOfFormats[format ?? ''] ?? 'text', minLength, maxLength };
}

// Breakpoints of a run: those that hold, and a form that sets one.
import { type FormEvent, useState } from 'react';
import type { AgentRunDto, KnownEvent, RunBreakpointDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { hasEnded } from '../../state/runs.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type BreakpointDraft, BreakpointFields, noBreakpoint } from './breakpoint-fields.tsx';

export function Breakpoints({ run }: { run: AgentRunDto }) {
  const params = { runId: run.id };
  const list = useResource(`breakpoints ${run.id}`, (signal) => client.agentBreakpoints.list({ params, signal }));
  useReloadOn(run.status, list.reload);
  const isLog = (event: KnownEvent) => event.type === 'run.event' && event.data.type === 'Log';
  useReloadOn(useNews(`run:${run.id}`, isLog), list.reload);
  const { busy, act } = useAction();
  const [open, setOpen] = useState(false);
  const mayWrite = may('RunsWrite');
  const mayAdd = mayWrite && !hasEnded(run);
  const all = list.data ?? [];
  const change = (work: () => Promise<unknown>) => act(work).then((done) => done && list.reload());
  const remove = ({ id }: RunBreakpointDto) =>
    void change(() => client.agentBreakpoints.remove({ params: { ...params, key: id } }));
  if (all.length === 0 && !mayAdd) return null;
  return (
    <section className="stack tight" aria-label={t('Breakpoints')}>
      <div className="row">
        <h2 className="grow">{t('Breakpoints')}</h2>
        {mayAdd && (
          <Button size="small" icon="plus" pressed={open} onClick={() => setOpen(!open)}>
            {t('Add a breakpoint')}
          </Button>
        )}
      </div>
      {all.length === 0 && !open && (
        <p className="muted small">{t('None. A call that comes to a breakpoint waits for your decision.')}</p>
      )}
      <ul className="stack tight">
        {all.map((one) => (
          <li key={one.id} className="row">
            <span className="grow">
              {one.before === 'Tool' ? t('Before tool') : t('Before role')} <strong className="mono">{one.name}</strong>
              <span className="muted small">
                {one.forTree ? ` · ${t('whole tree')}` : ''}
                {one.setBy ? ` · ${one.setBy}` : ''}
              </span>
            </span>
            {mayWrite && (
              <IconButton
                icon="close"
                label={t('Remove the breakpoint {name}', { name: one.name })}
                disabled={busy}
                onClick={() => remove(one)}
              />
            )}
          </li>
        ))}
      </ul>
      {open && mayAdd && (
        <NewBreakpoint
          busy={busy}
          onAdd={(body) => change(() => client.agentBreakpoints.create({ params, body }).then(() => setOpen(false)))}
        />
      )}
    </section>
  );
}

function NewBreakpoint({ busy, onAdd }: { busy: boolean; onAdd: (draft: BreakpointDraft) => void }) {
  const [draft, setDraft] = useState(noBreakpoint);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAdd({ ...draft, name: draft.name.trim() });
  };
  return (
    <form className="stack tight" onSubmit={submit}>
      <BreakpointFields draft={draft} onChange={setDraft} />
      <div>
        <Button type="submit" disabled={busy || draft.name.trim() === ''}>
          {t('Set the breakpoint')}
        </Button>
      </div>
    </form>
  );
}

// The selected step of a run: what went in, what came out, what it took; its raw events on demand.
import { type ReactNode, useState } from 'react';
import type { AgentEventDto, FilesChangedDto } from '../../../client/index.ts';
import { formatBytes, formatClock, formatDuration, formatNumber, plural, t, words } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { patchQuery } from '../../base/router.ts';
import { payloadOf } from '../../river/track.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { costOf } from '../../state/run-figures.ts';
import type { RunView } from '../../state/tree.ts';
import { type Entry, indexAt, type Line, type Timeline, type ToolCall, type Turn } from '../../timeline/timeline.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Code, Json } from '../../ui/code.tsx';
import { Fields } from '../../ui/fields.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { EditRunDialog } from './edit-run-dialog.tsx';
import { targetOf } from './entry-view.tsx';

const titleOf = (entry: Entry) => {
  if (entry.kind === 'turn') return t('Turn {n}', { n: entry.iteration });
  if (entry.kind === 'tool') return entry.name;
  return entry.event.title && entry.event.title !== entry.event.type ? entry.event.title : words(entry.event.type);
};

export function StepPanel({ entry, view }: { entry: Entry; view: RunView }) {
  const index = indexAt(view.timeline, entry.seq);
  const goTo = (step: number) => {
    const next = view.timeline.entries[index + step];
    if (next) patchQuery({ at: next.seq });
  };
  const close = () => patchQuery({ at: null });
  useShortcuts([
    { keys: 'j', label: t('Next step'), run: () => goTo(1) },
    { keys: 'k', label: t('Previous step'), run: () => goTo(-1) },
    { keys: 'Escape', label: t('Close the step'), run: close },
  ]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
    <aside className="run-side step" aria-label={t('Selected step')} tabIndex={0}>
      <header className="step-head">
        <div className="grow">
          <h2 className="truncate">{titleOf(entry)}</h2>
          <time className="faint small" dateTime={new Date(entry.at).toISOString()}>
            {formatClock(entry.at)}
          </time>
        </div>
        <IconButton icon="back" label={t('Previous step')} disabled={index === 0} onClick={() => goTo(-1)} />
        <IconButton
          icon="chevron"
          label={t('Next step')}
          disabled={index >= view.timeline.entries.length - 1}
          onClick={() => goTo(1)}
        />
        <IconButton icon="close" label={t('Close')} onClick={close} />
      </header>
      <div className="step-body">
        {entry.kind === 'turn' && <TurnStep turn={entry} view={view} index={index} />}
        {entry.kind === 'tool' && <ToolStep call={entry} />}
        {entry.kind === 'line' && <LineStep line={entry} />}
        <EditAndRun view={view} index={index} />
        <Raw runId={view.id} seq={entry.seq} />
      </div>
    </aside>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Figures({ items }: { items: (readonly [string, string])[] }) {
  return (
    <dl className="step-figures num">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function TurnStep({ turn, view, index }: { turn: Turn; view: RunView; index: number }) {
  const [open, setOpen] = useState(false);
  const tokens = turn.promptTokens + turn.completionTokens;
  return (
    <>
      <Figures
        items={[
          [t('Prompt tokens'), formatNumber(turn.promptTokens)],
          [t('Completion tokens'), formatNumber(turn.completionTokens)],
          [t('Cost'), costOf(turn.costUsd, tokens, turn.modelId)],
          [t('Latency'), turn.durationMs === null ? '…' : formatDuration(turn.durationMs)],
        ]}
      />
      {turn.modelId && <p className="mono small muted">{turn.modelId}</p>}
      {turn.failure && (
        <div className="banner" data-tone="bad">
          {turn.failure}
        </div>
      )}
      <Part title={t('Prompt: new since the last turn')}>
        <Prompt view={view} index={index} />
      </Part>
      {turn.reasoning && (
        <Part title={t('Reasoning')}>
          <p className={open ? 'reasoning-text' : 'reasoning-text tail'}>{turn.reasoning}</p>
          <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t('Show less') : t('Show all')}
          </button>
        </Part>
      )}
      <Part title={t('Answer')}>
        {turn.text ? (
          <div className="reading">
            <Markdown text={turn.text} streaming={turn.state === 'streaming'} />
          </div>
        ) : (
          <p className="muted">{turn.state === 'streaming' ? t('Streaming…') : t('Tool calls only.')}</p>
        )}
      </Part>
      <Calls view={view} index={index} />
    </>
  );
}

/** Events that put words into the prompt. */
const worded: ReadonlySet<string> = new Set([
  'GuidanceReceived',
  'MessageReceived',
  'EscalationResolved',
  'ChildCompleted',
  'ChildFailed',
]);

/** What the model was given since its last turn; before the first that is the goal. */
function Prompt({ view, index }: { view: RunView; index: number }) {
  const { entries } = view.timeline;
  let from = index - 1;
  while (from >= 0 && entries[from]?.kind !== 'turn') from -= 1;
  const since = entries
    .slice(from + 1, index)
    .filter((one) => one.kind === 'tool' || (one.kind === 'line' && worded.has(one.event.type)));
  if (from < 0) return <div className="reading goal-text">{view.run?.goal}</div>;
  if (since.length === 0) return <p className="muted">{t('No new messages since the last turn.')}</p>;
  return (
    <ul className="stack tight">
      {since.map((one) => (
        <li key={one.key}>
          <button type="button" className="link" onClick={() => patchQuery({ at: one.seq })}>
            {one.kind === 'tool' ? t('Result of {tool}', { tool: one.name }) : titleOf(one)}
          </button>
          <p className="muted small clamp">
            {one.kind === 'tool' ? one.result : one.kind === 'line' && one.event.message}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The tools that a turn asked for. */
function Calls({ view, index }: { view: RunView; index: number }) {
  const calls: ToolCall[] = [];
  for (const one of view.timeline.entries.slice(index + 1, index + 64)) {
    if (one.kind === 'turn') break;
    if (one.kind === 'tool') calls.push(one);
  }
  if (calls.length === 0) return null;
  return (
    <Part title={t('Tool calls')}>
      <ul className="stack tight">
        {calls.map((call) => (
          <li key={call.key}>
            <button type="button" className="link mono" onClick={() => patchQuery({ at: call.seq })}>
              {call.name}
            </button>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function ToolStep({ call }: { call: ToolCall }) {
  return (
    <>
      <Figures
        items={[
          [t('Status'), words(call.state)],
          [t('Latency'), call.durationMs === null ? '…' : formatDuration(call.durationMs)],
        ]}
      />
      <Part title={t('Arguments')}>
        <Fields json={call.args || '{}'} none={t('None')} />
      </Part>
      <Part title={t('Result')}>
        {call.result === null ? (
          <p className="muted">{t('Not available yet.')}</p>
        ) : (
          <Fields json={call.result} none={t('Nothing')} />
        )}
      </Part>
    </>
  );
}

function LineStep({ line: { event } }: { line: Line }) {
  const target = targetOf(event);
  return (
    <>
      <p className="muted small">{words(event.type)}</p>
      {event.message && (
        <div className="reading">
          <Markdown text={event.message} />
        </div>
      )}
      {target && <a href={target.url}>{target.label}</a>}
      {event.type === 'FileChanged' && <ChangedFiles event={event} />}
    </>
  );
}

/** What a command has changed; `file_write` says in its call what it writes. */
function ChangedFiles({ event }: { event: AgentEventDto }) {
  const { files = [], more = 0 } = payloadOf(event) as Partial<FilesChangedDto>;
  return (
    <ul className="stack tight small">
      {files.map(({ path, changeType, sizeBytes }) => (
        <li key={path} className="row wrap">
          <span className="tag">{words(changeType)}</span>
          <span className="mono files-digest">{path}</span>
          {sizeBytes !== undefined && <span className="faint num">{formatBytes(sizeBytes)}</span>}
        </li>
      ))}
      {more > 0 && <li className="muted">{plural(more, 'and {n} more file', 'and {n} more files')}</li>}
    </ul>
  );
}

/** The turn that an entry belongs to. */
function turnAt({ entries }: Timeline, index: number): number {
  for (let at = index; at >= 0; at--) {
    const one = entries[at];
    if (one?.kind === 'turn') return one.iteration;
    if (one?.kind === 'line' && one.event.iteration !== null) return one.event.iteration;
  }
  return 0;
}

/** Opens the state after this step, to be edited and run again. */
function EditAndRun({ view, index }: { view: RunView; index: number }) {
  const [open, setOpen] = useState(false);
  if (!may('RunsWrite')) return null;
  const turn = turnAt(view.timeline, index);
  return (
    <div>
      <Button size="small" icon="fork" onClick={() => setOpen(true)}>
        {t('Edit and run again')}
      </Button>
      {open && <EditRunDialog runId={view.id} place={{ turn }} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** The stored event as JSON. */
function Raw({ runId, seq }: { runId: number; seq: number }) {
  const [open, setOpen] = useState(false);
  const event = useResource(open ? `event ${runId} ${seq}` : null, () =>
    client.agentRuns.events({ params: { runId }, query: { afterSeq: seq - 1, limit: 1 } }),
  );
  return (
    <section className="stack tight">
      <div>
        <Button size="small" pressed={open} onClick={() => setOpen(!open)}>
          {t('Raw JSON')}
        </Button>
      </div>
      {open && (
        <Loaded resource={event} rows={3}>
          {([one]) => (one ? <Json value={one} /> : <Code text={t('No longer stored.')} />)}
        </Loaded>
      )}
    </section>
  );
}

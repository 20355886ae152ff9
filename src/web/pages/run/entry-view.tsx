// One entry of the timeline.
import { memo, useState } from 'react';
import type { AgentEventDto } from '../../../client/index.ts';
import {
  formatClock,
  formatCost,
  formatDuration,
  formatNumber,
  formatShort,
  plural,
  t,
  words,
} from '../../base/i18n.ts';
import { href, patchQuery } from '../../base/router.ts';
import { payloadOf } from '../../river/track.ts';
import type { Entry, Line, ToolCall, Turn } from '../../timeline/timeline.ts';
import { Json } from '../../ui/code.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Markdown, MarkdownLine } from '../../ui/markdown.tsx';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';

interface Props {
  entry: Entry;
  runId: number;
  selected: boolean;
}

export const EntryView = memo(function EntryView({ entry, selected }: Props) {
  return (
    <article className="entry" data-kind={entry.kind} data-selected={selected} data-seq={entry.seq}>
      <time className="entry-time num" dateTime={new Date(entry.at).toISOString()}>
        {formatClock(entry.at)}
      </time>
      {entry.kind === 'turn' && <TurnView turn={entry} />}
      {entry.kind === 'tool' && <ToolView call={entry} open={selected} />}
      {entry.kind === 'line' && <LineView line={entry} />}
    </article>
  );
});

function TurnView({ turn }: { turn: Turn }) {
  const streaming = turn.state === 'streaming';
  const [open, setOpen] = useState(false);
  return (
    <div className="turn">
      <header className="row small">
        <strong>{t('Turn {n}', { n: turn.iteration })}</strong>
        <span className="faint truncate mono">{turn.modelId}</span>
        {streaming && (
          <Chip shape="flow" tone="accent">
            {t('Streaming')}
          </Chip>
        )}
        {turn.state === 'failed' && (
          <Chip shape="cross" tone="bad">
            {t('Failed')}
          </Chip>
        )}
        <span className="grow" />
        {!streaming && <TurnFigures turn={turn} />}
      </header>
      {turn.reasoning && (
        <div className="reasoning">
          <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {streaming && !turn.text
              ? t('Thinking…')
              : plural(wordCount(turn.reasoning), 'Thought, {n} word', 'Thought, {n} words')}
          </button>
          {open ? (
            <p className="reasoning-text">{turn.reasoning}</p>
          ) : (
            streaming && !turn.text && <p className="reasoning-text tail">{turn.reasoning.slice(-220)}</p>
          )}
        </div>
      )}
      {turn.text && <Markdown text={turn.text} streaming={streaming} />}
      {turn.failure && <p className="failure">{turn.failure}</p>}
    </div>
  );
}

const wordCount = (text: string) => text.split(/\s+/).filter(Boolean).length;

function TurnFigures({ turn }: { turn: Turn }) {
  return (
    <span
      className="faint num"
      title={t('{in} tokens in, {out} out', {
        in: formatNumber(turn.promptTokens),
        out: formatNumber(turn.completionTokens),
      })}
    >
      {turn.completionTokens > 0 && `${formatShort(turn.promptTokens)} → ${formatShort(turn.completionTokens)} · `}
      {turn.costUsd > 0 && `${formatCost(turn.costUsd)} · `}
      {turn.durationMs !== null && formatDuration(turn.durationMs)}
    </span>
  );
}

const callLooks: Record<ToolCall['state'], [Shape, Tone, string]> = {
  writing: ['flow', 'accent', 'Writing'],
  running: ['flow', 'accent', 'Running'],
  done: ['tick', 'good', 'Done'],
  failed: ['cross', 'bad', 'Failed'],
  blocked: ['dam', 'bad', 'Blocked'],
};

/** What an argument object is about, in one line. */
function gist(args: string): string {
  try {
    const values = Object.values(JSON.parse(args) as Record<string, unknown>);
    const text = values.find((value) => typeof value === 'string') ?? values[0];
    return typeof text === 'string' ? (text.split('\n')[0] ?? '') : text === undefined ? '' : JSON.stringify(text);
  } catch {
    return args.slice(0, 120);
  }
}

function ToolView({ call, open: opened }: { call: ToolCall; open: boolean }) {
  const [open, setOpen] = useState<boolean | null>(null);
  const shown = open ?? (opened || call.state === 'failed');
  const [shape, tone, word] = callLooks[call.state];
  return (
    <div className="tool">
      <button type="button" className="tool-head" aria-expanded={shown} onClick={() => setOpen(!shown)}>
        <Icon name="tool" />
        <strong className="mono">{call.name || '…'}</strong>
        <span className="truncate grow muted mono">{gist(call.args)}</span>
        {call.durationMs !== null && <span className="faint num">{formatDuration(call.durationMs)}</span>}
        <Chip shape={shape} tone={tone}>
          {t(word)}
        </Chip>
      </button>
      {shown && (
        <div className="tool-body">
          <div>
            <span className="label">{t('Arguments')}</span>
            <Json value={call.args || '{}'} />
          </div>
          {call.result !== null && (
            <div>
              <span className="label">{t('Result')}</span>
              <Json value={call.result} />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

const icons: [RegExp, IconName][] = [
  [/^Escalation|Approval/, 'gate'],
  [/^Child|Spawn/, 'fork'],
  [/^Council/, 'council'],
  [/^Checkpoint/, 'flag'],
  [/^(Message|Guidance|Note|Feedback)/, 'chat'],
  [/^(File|Review|Deliverable)/, 'file'],
  [/^Run/, 'runs'],
];
const tones: Record<string, string> = { Warning: 'warn', Error: 'bad', Critical: 'bad' };

function targetOf(event: AgentEventDto): { label: string; url: string } | null {
  const { childRunId, runId } = payloadOf(event);
  const child = childRunId ?? (event.type.startsWith('Child') ? runId : undefined);
  return typeof child === 'number' ? { label: t('Run #{id}', { id: child }), url: href(`/runs/${child}`) } : null;
}

function LineView({ line: { event } }: { line: Line }) {
  const icon = icons.find(([pattern]) => pattern.test(event.type))?.[1] ?? 'minus';
  const target = targetOf(event);
  const [open, setOpen] = useState(false);
  const same = event.title === event.type || event.title === '';
  return (
    <div className="line" data-tone={tones[event.level] ?? 'plain'}>
      <Icon name={icon} />
      <span className="line-text">
        <button type="button" className="line-title" onClick={() => patchQuery({ at: event.seq })}>
          {same ? words(event.type) : event.title}
        </button>
        {event.message && (
          <span className="muted">
            {' '}
            <MarkdownLine
              text={event.message.length > 400 && !open ? `${event.message.slice(0, 400)}…` : event.message}
            />
          </span>
        )}
        {target && (
          <>
            {' '}
            <a href={target.url}>{target.label}</a>
          </>
        )}
        {open && event.payloadJson && <Json value={event.payloadJson} />}
      </span>
      {event.payloadJson && (
        <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t('Less') : t('Data')}
        </button>
      )}
      <span className="faint small event-type">{words(event.type)}</span>
    </div>
  );
}

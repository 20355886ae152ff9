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
      {entry.kind === 'turn' && <TurnView turn={entry} selected={selected} />}
      {entry.kind === 'tool' && <ToolView call={entry} selected={selected} />}
      {entry.kind === 'line' && <LineView line={entry} selected={selected} />}
    </article>
  );
});

function TurnView({ turn, selected }: { turn: Turn; selected: boolean }) {
  const streaming = turn.state === 'streaming';
  const [open, setOpen] = useState(false);
  return (
    <div className="turn">
      <header className="row small">
        <button type="button" className="line-title" aria-pressed={selected} onClick={() => toggle(turn.seq, selected)}>
          {t('Turn {n}', { n: turn.iteration })}
        </button>
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
              ? t('Reasoning…')
              : plural(wordCount(turn.reasoning), 'Reasoning, {n} word', 'Reasoning, {n} words')}
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
  stopped: ['dam', 'plain', 'Stopped'],
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

/** The first line of what went wrong. */
const complaintOf = ({ state, result }: ToolCall) =>
  state === 'failed' || state === 'blocked' ? (result ?? '').split('\n')[0]?.slice(0, 300) : '';

function ToolView({ call, selected }: { call: ToolCall; selected: boolean }) {
  const [shape, tone, word] = callLooks[call.state];
  const complaint = complaintOf(call);
  return (
    <div className="tool">
      <button type="button" className="tool-head" aria-pressed={selected} onClick={() => toggle(call.seq, selected)}>
        <Icon name="tool" />
        <strong className="mono">{call.name || '…'}</strong>
        <span className="truncate grow muted mono">{gist(call.args)}</span>
        {call.durationMs !== null && <span className="faint num">{formatDuration(call.durationMs)}</span>}
        <Chip shape={shape} tone={tone}>
          {t(word)}
        </Chip>
      </button>
      {complaint && <p className="failure small">{complaint}</p>}
    </div>
  );
}

const toggle = (seq: number, selected: boolean) => patchQuery({ at: selected ? null : seq });

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

/** The child, or the council, that an event is about. */
export function targetOf(event: AgentEventDto): { label: string; url: string } | null {
  const { childRunId, runId, councilId } = payloadOf(event);
  if (typeof councilId === 'number' && event.type !== 'EscalationReviewed')
    return { label: t('Council {id}', { id: councilId }), url: href(`/councils/${councilId}`) };
  const child = childRunId ?? (event.type.startsWith('Child') ? runId : undefined);
  return typeof child === 'number' ? { label: t('Run #{id}', { id: child }), url: href(`/runs/${child}`) } : null;
}

/** Longer messages are shown whole where the step is. */
const lineLength = 400;

function LineView({ line: { event }, selected }: { line: Line; selected: boolean }) {
  const icon = icons.find(([pattern]) => pattern.test(event.type))?.[1] ?? 'minus';
  const target = targetOf(event);
  const same = event.title === event.type || event.title === '';
  const { message } = event;
  return (
    <div className="line" data-tone={tones[event.level] ?? 'plain'}>
      <Icon name={icon} />
      <span className="line-text">
        <button
          type="button"
          className="line-title"
          aria-pressed={selected}
          onClick={() => toggle(event.seq, selected)}
        >
          {same ? words(event.type) : event.title}
        </button>
        {message && (
          <span className="muted">
            {' '}
            <MarkdownLine text={message.length > lineLength ? `${message.slice(0, lineLength)}…` : message} />
          </span>
        )}
        {target && (
          <>
            {' '}
            <a href={target.url}>{target.label}</a>
          </>
        )}
      </span>
    </div>
  );
}

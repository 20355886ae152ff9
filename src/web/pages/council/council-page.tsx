// The page of a council: its debate, live, with ways to the run or chat that convened it, and to the replay.
import { useRef } from 'react';
import { formatDuration, plural, t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, href } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { useDebate } from '../../state/councils.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import type { PageProps } from '../page-props.ts';
import { Debate } from './debate.tsx';

export function CouncilPage({ params }: PageProps) {
  const id = Number(params.id);
  const { debate, words } = useDebate(id);
  const streams = useRef<HTMLElement>(null);
  const { data, error } = debate;
  const council = data?.council;
  useTitle(council ? `${council.question.split('\n')[0]} · ${t('Council {id}', { id })}` : t('Council {id}', { id }));
  const move = (step: number) => {
    const voices = [...(streams.current?.querySelectorAll<HTMLElement>('.voice') ?? [])];
    const at = voices.indexOf(document.activeElement as HTMLElement);
    const next =
      voices[at < 0 ? (step > 0 ? 0 : voices.length - 1) : Math.min(voices.length - 1, Math.max(0, at + step))];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest', inline: 'start' });
  };
  const home =
    council?.runId != null
      ? `/runs/${council.runId}`
      : council?.chatSessionId != null
        ? `/chat/${council.chatSessionId}`
        : null;
  useShortcuts([
    { keys: 'j', label: t('Next participant'), run: () => move(1) },
    { keys: 'k', label: t('Participant before'), run: () => move(-1) },
    { keys: 'Escape', label: t('Back'), run: () => go(home ?? '/runs') },
    ...(home ? [{ keys: 'o', label: t('Open the run or chat of the council'), run: () => go(home) }] : []),
  ]);
  if (error && !data) return <Failure isPage error={error} back={{ href: '#/runs', label: t('Go to runs') }} />;
  if (!data || !council) return <Skeleton rows={10} />;
  const took = Date.parse(council.completedAtUtc ?? '') - Date.parse(council.createdAtUtc);
  return (
    <div className="page council-page">
      <header className="stack tight">
        <div className="row wrap">
          <State name={council.status} />
          <span className="muted small">
            {plural(data.participants.length, '{n} participant', '{n} participants')} ·{' '}
            {plural(council.rounds, '{n} round and a vote', '{n} rounds and a vote')}
            {council.completedAtUtc !== null && ` · ${formatDuration(took)}`}
          </span>
          <span className="grow" />
          {council.runId !== null && (
            <>
              <LinkButton size="small" icon="runs" href={href(`/runs/${council.runId}`)}>
                {t('Run #{id}', { id: council.runId })}
              </LinkButton>
              <LinkButton
                size="small"
                icon="play"
                href={href(`/runs/${council.runId}`, { tab: 'councils', moment: Date.parse(council.createdAtUtc) })}
              >
                {t('Replay')}
              </LinkButton>
            </>
          )}
          {council.chatSessionId !== null && (
            <LinkButton size="small" icon="chat" href={href(`/chat/${council.chatSessionId}`)}>
              {t('Chat')}
            </LinkButton>
          )}
        </div>
        <h1 className="council-question">{council.question}</h1>
      </header>
      <Debate debate={data} words={words} streams={streams} />
    </div>
  );
}

// Lines of the log, the newest at the end, which stays in sight while the reader is there.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { SystemLogDto } from '../../../client/index.ts';
import { formatDate, t, words } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Fields } from '../../ui/fields.tsx';
import { Chip } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';
import { looks } from './filter.ts';
import type { Tail } from './use-tail.ts';

/** Pixels from the end that still count as being there. */
const nearPx = 40;

export function Lines({ tail }: { tail: Tail }) {
  const box = useRef<HTMLElement>(null);
  const [following, setFollowing] = useState(true);
  const { busy, act } = useAction();
  const { lines } = tail;
  const first = useRef<number | null>(null);
  const height = useRef(0);

  useLayoutEffect(() => {
    const list = box.current;
    if (!list) return;
    const firstNow = lines[0]?.id ?? null;
    const hasOlder = first.current !== null && firstNow !== null && firstNow < first.current;
    // Older lines come above what is read, which stays where it is.
    if (hasOlder) list.scrollTop += list.scrollHeight - height.current;
    else if (following) list.scrollTop = list.scrollHeight;
    first.current = firstNow;
    height.current = list.scrollHeight;
  }, [lines, following]);

  useEffect(() => {
    const list = box.current;
    if (!list) return;
    const note = () => setFollowing(list.scrollHeight - list.scrollTop - list.clientHeight < nearPx);
    list.addEventListener('scroll', note, { passive: true });
    return () => list.removeEventListener('scroll', note);
  }, []);

  return (
    <div className="log">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys */}
      <section ref={box} className="log-lines" tabIndex={0} aria-label={t('Log lines')}>
        {tail.hasOlder && lines.length > 0 && (
          <div className="log-older">
            <Button size="small" disabled={busy} onClick={() => void act(tail.loadOlder)}>
              {t('Older lines')}
            </Button>
          </div>
        )}
        <ol>
          {lines.map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </ol>
      </section>
      {!following && (
        <div className="log-follow">
          <Button size="small" icon="down" onClick={() => setFollowing(true)}>
            {t('Follow the newest')}
          </Button>
        </div>
      )}
    </div>
  );
}

const said = (line: SystemLogDto): string => {
  if (line.message !== 'request') return line.message;
  const { method, path, status, ms } = properties(line);
  return [method, path, status, ms === undefined ? null : `${ms} ms`].filter((one) => one != null).join(' ');
};

function properties({ propertiesJson }: SystemLogDto): Record<string, unknown> {
  try {
    return JSON.parse(propertiesJson ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}

function Line({ line }: { line: SystemLogDto }) {
  const [open, setOpen] = useState(false);
  const [shape, tone] = looks[line.level];
  return (
    <li data-level={line.level}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <time className="num muted" dateTime={line.createdAtUtc} title={formatDate(line.createdAtUtc)}>
            {clock(line.createdAtUtc)}
          </time>
          <Chip shape={shape} tone={tone}>
            {words(line.level)}
          </Chip>
          <span className="log-domain muted">{words(line.domain)}</span>
          <span className="log-said">
            {line.errorCode && <code>{line.errorCode}</code>} {said(line)}
          </span>
        </summary>
        {open && <Details line={line} />}
      </details>
    </li>
  );
}

/** The time of the day with its milliseconds; the day stands in the details. */
const clock = (at: string) => {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two);
  return `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}`;
};

function Details({ line }: { line: SystemLogDto }) {
  const { requestId, runId, identityId, identityName, exception, propertiesJson } = line;
  return (
    <div className="stack log-details">
      <p className="row wrap small">
        <span>{formatDate(line.createdAtUtc)}</span>
        {runId !== null && <a href={`#/runs/${runId}`}>{t('Run {id}', { id: runId })}</a>}
        {identityId !== null && (
          <a href={`#/identities/${identityId}`}>{identityName ?? t('Identity {id}', { id: identityId })}</a>
        )}
        {requestId !== null && (
          <button type="button" className="link" onClick={() => patchQuery({ q: requestId })}>
            {t('All of this request')}
          </button>
        )}
        {line.sourceHost !== null && <span className="muted">{line.sourceHost}</span>}
      </p>
      {exception !== null && <Code text={exception} />}
      {propertiesJson !== null && <Fields json={propertiesJson} none={t('Nothing')} />}
    </div>
  );
}

// The search in events: words, type, run and time, and its hits, which the keys go through.
import { useEffect, useRef, useState } from 'react';
import type { AgentEventHitDto } from '../../../../client/index.ts';
import { formatClock, formatNumber, plural, t, words } from '../../../base/i18n.ts';
import { useShortcuts } from '../../../base/keys.ts';
import { patchQuery } from '../../../base/router.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { useMarkedWords } from '../../../ui/marked-words.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import { eventGroups } from './event-groups.ts';
import type { Find } from './use-find.ts';

/** Runs that can be chosen one by one; more of them are searched as a tree. */
const mostRuns = 200;

interface Props {
  find: Find;
  runIds: readonly number[];
  labelOf: (runId: number) => string;
}

export function FindBar({ find, runIds, labelOf }: Props) {
  const { hits, place, goTo, close } = find;
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  useMarkedWords('.timeline, .step-body', find.q);
  const move = (step: number) => goTo(place < 0 ? (step > 0 ? 0 : hits.length - 1) : place + step);
  useShortcuts([
    { keys: 'n', label: t('Next hit'), run: () => move(1) },
    { keys: 'p', label: t('Previous hit'), run: () => move(-1) },
    // A step that is open is closed first.
    ...(find.isStepOpen ? [] : [{ keys: 'Escape', label: t('Close the search'), run: close }]),
  ]);
  return (
    <section className="event-find" aria-label={t('Search in events')} ref={box}>
      <div className="row event-find-fields">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the field inside bubble to here */}
        <div
          className="grow"
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            move(event.shiftKey ? -1 : 1);
          }}
        >
          <SearchField label={t('Search in events')} q={find.q} onSearch={(find) => patchQuery({ find })} />
        </div>
        <span className="row tight">
          <IconButton icon="back" label={t('Previous hit')} disabled={place <= 0} onClick={() => move(-1)} />
          <IconButton icon="chevron" label={t('Next hit')} disabled={hits.length === 0} onClick={() => move(1)} />
          <IconButton icon="close" label={t('Close the search')} onClick={close} />
        </span>
      </div>
      <div className="row wrap event-find-fields">
        <Choices find={find} runIds={runIds} labelOf={labelOf} />
        <Said find={find} />
      </div>
      {hits.length > 0 && <Hits find={find} labelOf={runIds.length > 1 ? labelOf : null} />}
    </section>
  );
}

function Choices({ find: { given, runId }, runIds, labelOf }: Props) {
  const [timed, setTimed] = useState(false);
  const isTimed = timed || given('findFrom') !== null || given('findTo') !== null;
  const onTimes = () => {
    setTimed(!isTimed);
    if (isTimed) patchQuery({ findFrom: null, findTo: null });
  };
  const time = (name: 'findFrom' | 'findTo', label: string) => (
    <label className="row tight small muted">
      {label}
      <input
        className="input"
        type="datetime-local"
        step={1}
        value={given(name) ?? ''}
        onChange={({ target }) => patchQuery({ [name]: target.value })}
      />
    </label>
  );
  return (
    <>
      <select
        className="input"
        aria-label={t('Type of event')}
        value={given('findType') ?? ''}
        onChange={({ target }) => patchQuery({ findType: target.value })}
      >
        <option value="">{t('Any type')}</option>
        {eventGroups.map(([title, types]) => (
          <optgroup key={title} label={t(title)}>
            {types.map((type) => (
              <option key={type} value={type}>
                {words(type)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {runIds.length > 1 && (
        <select
          className="input"
          aria-label={t('Runs to search in')}
          value={runId ?? ''}
          onChange={({ target }) => patchQuery({ findRun: target.value })}
        >
          <option value="">{plural(runIds.length, 'The whole tree', 'The whole tree, {n} runs')}</option>
          {runIds.slice(0, mostRuns).map((id) => (
            <option key={id} value={id}>
              {labelOf(id)}
            </option>
          ))}
        </select>
      )}
      <Button size="small" pressed={isTimed} onClick={onTimes}>
        {t('Times')}
      </Button>
      {isTimed && time('findFrom', t('From'))}
      {isTimed && time('findTo', t('To'))}
    </>
  );
}

/** How many were found, and what was looked at; or why nothing could be. */
function Said({ find: { error, isWanted, hits, place, hasMore, busy, searched } }: { find: Find }) {
  if (error)
    return (
      <p className="failure small" role="alert">
        {[error.message, error.hint].filter(Boolean).join(' ')}
      </p>
    );
  const count = place >= 0 ? t('Hit {n} of {all}', { n: place + 1, all: formatNumber(hits.length) }) : null;
  const all = plural(hits.length, '{n} hit', '{n} hits');
  return (
    <p className="faint small num" role="status">
      {isWanted
        ? `${count ?? all}${hasMore ? '+' : ''} · ${plural(searched, '{n} event searched', '{n} events searched')}${busy ? '…' : ''}`
        : t('Every word must be in an event: in its text, its tool or its payload. Words in quotes stand together.')}
    </p>
  );
}

function Hits({
  find: { hits, place, goTo, hasMore, busy, more },
  labelOf,
}: {
  find: Find;
  labelOf: Props['labelOf'] | null;
}) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.children[place]?.scrollIntoView({ block: 'nearest' });
  }, [place]);
  return (
    <ol className="event-hits" ref={list} aria-label={t('Hits')}>
      {hits.map((hit, index) => (
        <li key={`${hit.runId}.${hit.seq}`}>
          <button type="button" className="event-hit" aria-current={index === place} onClick={() => goTo(index)}>
            <span className="row small faint">
              <span className="num">{formatClock(Date.parse(hit.createdAtUtc))}</span>
              <span>{words(hit.type)}</span>
              {hit.toolName && <span className="mono truncate">{hit.toolName}</span>}
              {labelOf && <span className="truncate">{labelOf(hit.runId)}</span>}
            </span>
            {hit.excerpts.length === 0 && <span className="truncate">{hit.title}</span>}
            {hit.excerpts.map((one) => (
              <Excerpt key={`${one.field} ${one.text}`} excerpt={one} />
            ))}
          </button>
        </li>
      ))}
      {hasMore && (
        <li>
          <Button size="small" disabled={busy} onClick={more}>
            {t('Search on')}
          </Button>
        </li>
      )}
    </ol>
  );
}

/** Fields whose text is what the event says, not a value by name. */
const plain: ReadonlySet<string> = new Set(['title', 'message']);

function Excerpt({ excerpt: { field, text, marks } }: { excerpt: AgentEventHitDto['excerpts'][number] }) {
  let end = 0;
  const parts = marks.flatMap(({ at, length }) => {
    const before = text.slice(end, at);
    end = at + length;
    return [before, <mark key={at}>{text.slice(at, end)}</mark>];
  });
  return (
    <span className="excerpt">
      {!plain.has(field) && <span className="faint">{field}: </span>}
      {parts}
      {text.slice(end)}
    </span>
  );
}

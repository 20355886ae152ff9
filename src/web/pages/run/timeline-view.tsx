// The timeline: what of it is shown, drawn only where the reader looks.
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { plural, t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { usePrinting } from '../../base/printing.ts';
import { type Changing, useVersion } from '../../base/store.ts';
import type { RunView } from '../../state/tree.ts';
import { type Entry, entryAt, quiet } from '../../timeline/timeline.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import { EntryView } from './entry-view.tsx';
import { useFollow } from './use-follow.ts';

type Show = 'story' | 'tools' | 'problems' | 'everything';

const shown: Record<Show, (entry: Entry) => boolean> = {
  story: (entry) => entry.kind !== 'line' || !quiet.has(entry.event.type),
  tools: (entry) => entry.kind === 'tool',
  problems: (entry) =>
    entry.kind === 'line'
      ? ['Warning', 'Error', 'Critical'].includes(entry.event.level)
      : entry.state === 'failed' || entry.state === 'blocked',
  everything: () => true,
};

function lastShown(entries: readonly Entry[], show: Show, from: number): number[] {
  const list: number[] = [];
  for (let i = from; i < entries.length; i++) if (shown[show](entries[i] as Entry)) list.push(i);
  return list;
}

/** The list with these places from `from` on: itself, when it is only added to. */
export function extended(list: number[], from: number, last: readonly number[]): number[] {
  let kept = list.length;
  while (kept > 0 && (list[kept - 1] as number) >= from) kept--;
  const isSame = list.length - kept <= last.length && list.slice(kept).every((place, i) => place === last[i]);
  if (!isSame) return [...list.slice(0, kept), ...last];
  list.push(...last.slice(list.length - kept));
  return list;
}

/** Which entries are shown; extended, not built again, as the run goes on. Another list when it was not only added to. */
function useShown(view: RunView, show: Show, version: number): number[] {
  const cache = useRef<{ show: Show; view: RunView; upTo: number; list: number[] } | null>(null);
  return useMemo(() => {
    void version;
    const { entries } = view.timeline;
    const held = cache.current;
    const same = held?.show === show && held.view === view;
    // A problem shows only when a call has ended, so the last ones are looked at again.
    const from = same ? Math.max(0, held.upTo - 64) : 0;
    const list = same ? extended(held.list, from, lastShown(entries, show, from)) : lastShown(entries, show, from);
    cache.current = { show, view, upTo: entries.length, list };
    return list;
  }, [view, show, version]);
}

interface Props {
  view: RunView;
  changing: Changing;
  seq: number | null;
  gaps: number;
  /** The search in events, where there is one. */
  find?: { isOpen: boolean; toggle: () => void };
}

export function TimelineView({ view, changing, seq, gaps, find }: Props) {
  const version = useVersion(changing);
  const [show, setShow] = useState<Show>('story');
  const chosen = entryAt(view.timeline, seq);
  const isHidden = chosen !== undefined && !shown[show](chosen);
  const chosenKey = chosen?.key;
  // A link, or a hit of a search, leads to an entry whatever was shown before; later the reader may hide it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is chosen anew is brought into sight.
  useEffect(() => {
    if (isHidden) setShow('everything');
  }, [chosenKey]);
  const list = useShown(view, show, version);
  const printing = usePrinting();
  const { entries } = view.timeline;
  const { scroller, virtual, items, pinned, unseen, toEnd, onScroll } = useFollow({
    entries,
    list,
    seq: chosen?.seq ?? seq,
    version,
  });
  useShortcuts([{ keys: 'e', label: t('Go to the end of the timeline'), run: toEnd }]);
  return (
    <div className="timeline-box">
      <Tools show={show} count={list.length} onShow={setShow}>
        {find && <IconButton icon="search" label={t('Search in events')} pressed={find.isOpen} onClick={find.toggle} />}
        {!pinned && (
          <Button size="small" icon="down" onClick={toEnd}>
            {unseen > 0 ? plural(unseen, '{n} new', '{n} new') : t('Jump to the end')}
          </Button>
        )}
      </Tools>
      {gaps > 0 && (
        <div className="banner" data-tone="warn">
          {t('The connection was down for too long: streamed text was lost, and the events were loaded again.')}
        </div>
      )}
      <div
        className="timeline"
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label={t('Timeline')}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
        tabIndex={0}
        data-testid="timeline"
      >
        {list.length === 0 && (
          <Empty title={show === 'problems' ? t('No problems') : t('Nothing yet')}>
            {show === 'problems' ? null : t('What the run does appears here as it happens.')}
          </Empty>
        )}
        {printing ? (
          list.map((place) => {
            const entry = entries[place];
            return entry && <EntryView key={entry.key} entry={entry} runId={view.id} selected={false} />;
          })
        ) : (
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {items.map((item) => {
              const entry = entries[list[item.index] ?? -1];
              return entry ? (
                <div
                  key={item.key}
                  data-index={item.index}
                  ref={virtual.measureElement}
                  className="timeline-item"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <EntryView entry={entry} runId={view.id} selected={entry === chosen} />
                </div>
              ) : null;
            })}
          </div>
        )}
      </div>
    </div>
  );
}

interface ToolsProps {
  show: Show;
  count: number;
  onShow: (show: Show) => void;
  children: ReactNode;
}

function Tools({ show, count, onShow, children }: ToolsProps) {
  return (
    <div className="row wrap timeline-tools">
      {(['story', 'tools', 'problems', 'everything'] as const).map((key) => (
        <Button key={key} size="small" pressed={show === key} onClick={() => onShow(key)}>
          {t({ story: 'Story', tools: 'Tool calls', problems: 'Problems', everything: 'All events' }[key])}
        </Button>
      ))}
      <span className="faint small num grow" style={{ textAlign: 'right' }}>
        {plural(count, '{n} entry', '{n} entries')}
      </span>
      {children}
    </div>
  );
}

// Find and do anything from the keyboard: pages, runs, actions.
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { formatAgo, t } from '../base/i18n.ts';
import { prefs } from '../base/prefs.ts';
import { go } from '../base/router.ts';
import { runDemo } from '../pages/runs/demo-hint.tsx';
import { client, may } from '../state/app.ts';
import { mayRunDemo } from '../state/demo.ts';
import { useResource } from '../state/resource.ts';
import { signOut } from '../state/session.ts';
import { layer, useFocusTrap } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { RunStatus } from '../ui/status.tsx';
import { navigation } from './navigation.ts';

interface Choice {
  key: string;
  label: string;
  icon: IconName;
  run: () => void;
  /** What is known of a thing that was found. */
  detail?: ReactNode;
}

function actions(): Choice[] {
  const toggleTheme = () => prefs.set((all) => ({ ...all, theme: all.theme === 'dark' ? 'light' : 'dark' }));
  return [
    ...(may('RunsWrite')
      ? [{ key: 'new', label: t('New run'), icon: 'plus' as const, run: () => go('/runs', { new: 1 }) }]
      : []),
    ...(may('ChatWrite')
      ? [{ key: 'chat', label: t('New chat'), icon: 'chat' as const, run: () => go('/chat/new') }]
      : []),
    ...(mayRunDemo() ? [{ key: 'demo', label: t('Run the demo'), icon: 'play' as const, run: runDemo }] : []),
    ...navigation().map((page) => ({
      key: page.path,
      label: t('Go to {page}', { page: t(page.title).toLowerCase() }),
      icon: page.nav?.icon ?? 'runs',
      run: () => go(page.path),
    })),
    { key: 'theme', label: t('Switch between light and dark'), icon: 'moon', run: toggleTheme },
    { key: 'out', label: t('Sign out'), icon: 'signout', run: () => void signOut() },
  ];
}

/** Every word must be in the label. */
const fits = (label: string, query: string) =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => label.toLowerCase().includes(word));

/** How long typing must pause before it is searched for, ms. */
const typingMs = 150;

/** Runs and chats that fit what was typed. */
function useFound(query: string): Choice[] {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(query.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [query]);
  const runs = useResource(may('RunsRead') ? `find ${asked}` : null, (signal) =>
    client.agentRuns.list({ query: { pageSize: 8, ...(asked ? { q: asked } : {}) }, signal }),
  );
  const chats = useResource(may('ChatRead') && asked ? `find chats ${asked}` : null, (signal) =>
    client.chat.list({ query: { pageSize: 5, q: asked }, signal }),
  );
  return [
    ...(runs.data?.items ?? []).map((run) => ({
      key: `run${run.id}`,
      label: run.goal,
      icon: 'runs' as const,
      run: () => go(`/runs/${run.id}`),
      detail: (
        <>
          <span className="faint small">
            #{run.id} · {formatAgo(run.createdAtUtc, Date.now())}
          </span>
          <RunStatus status={run.status} />
        </>
      ),
    })),
    ...(chats.data?.items ?? []).map((one) => ({
      key: `chat${one.id}`,
      label: one.title || t('New chat'),
      icon: 'chat' as const,
      run: () => go(`/chat/${one.id}`),
      detail: <span className="faint small">{formatAgo(one.updatedAtUtc, Date.now())}</span>,
    })),
  ];
}

/** A number alone is the id of a run. */
function byId(query: string): Choice[] {
  if (!/^\d+$/.test(query)) return [];
  return [{ key: 'id', label: t('Open run {id}', { id: query }), icon: 'runs', run: () => go(`/runs/${query}`) }];
}

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const found = useFound(query);
  const all: Choice[] = [...byId(query.trim()), ...actions().filter((choice) => fits(choice.label, query)), ...found];
  const trap = useFocusTrap(onClose);
  useEffect(() => {
    // Newer browsers answer with a promise, which an effect must not return.
    document.getElementById(`choice-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const choose = (choice: Choice | undefined) => {
    onClose();
    choice?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setActive((index) => (index + step + all.length) % Math.max(1, all.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(all[active]);
    } else trap.onKeyDown(event);
  };
  return createPortal(
    <div className="scrim" onPointerDown={(event) => event.target === event.currentTarget && onClose()}>
      <div
        className="palette"
        role="dialog"
        aria-modal="true"
        aria-label={t('Find anything')}
        ref={trap.ref}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={`choice-${active}`}
          aria-label={t('Find anything')}
          placeholder={t('Find runs, pages, actions…')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
        />
        <Choices all={all} active={active} onActive={setActive} onChoose={choose} />
      </div>
    </div>,
    layer(),
  );
}

interface ChoicesProps {
  all: readonly Choice[];
  active: number;
  onActive: (index: number) => void;
  onChoose: (choice: Choice) => void;
}

function Choices({ all, active, onActive, onChoose }: ChoicesProps) {
  return (
    <div className="choices" id="found" role="listbox" aria-label={t('Found')}>
      {all.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the input
        <div
          key={choice.key}
          id={`choice-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onPointerMove={() => onActive(index)}
          onClick={() => onChoose(choice)}
        >
          <Icon name={choice.icon} />
          <span className="truncate grow">{choice.label}</span>
          {choice.detail}
        </div>
      ))}
      {all.length === 0 && <div className="muted">{t('Nothing found')}</div>}
    </div>
  );
}

// Find and do anything from the keyboard: pages, actions, and things of every kind.
import { type KeyboardEvent, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../base/i18n.ts';
import { prefs } from '../base/prefs.ts';
import { go } from '../base/router.ts';
import { runDemo } from '../pages/runs/demo-hint.tsx';
import { may, signOut } from '../state/app.ts';
import { mayRunDemo } from '../state/demo.ts';
import { layer, useFocusTrap } from '../ui/dialog.tsx';
import { type Choice, Choices, grouped } from './choices.tsx';
import { useFound } from './found.tsx';
import { navigation } from './navigation.ts';

function actions(): Omit<Choice, 'group'>[] {
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

/** A number alone is the id of a run. */
function byId(query: string): Choice[] {
  if (!/^\d+$/.test(query)) return [];
  return [
    {
      key: 'id',
      group: t('Runs'),
      label: t('Open run {id}', { id: query }),
      icon: 'runs',
      run: () => go(`/runs/${query}`),
    },
  ];
}

export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const { choices: found, isSearching } = useFound(query);
  const fitting = actions().filter((choice) => fits(choice.label, query));
  const own = fitting.map((choice) => ({ ...choice, group: t('Actions') }));
  // What was opened last is nearer than what can be done; of what was typed, a page or an action is meant first.
  const all: Choice[] = grouped(query.trim() ? [...byId(query.trim()), ...own, ...found] : [...found, ...own]);
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
          placeholder={t('Find anything: runs, tasks, documents, pages, actions…')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
        />
        <Choices all={all} active={active} isSearching={isSearching} onActive={setActive} onChoose={choose} />
      </div>
    </div>,
    layer(),
  );
}

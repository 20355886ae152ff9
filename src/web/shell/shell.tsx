// The frame: rail, top bar, content, and on a phone the bottom bar.

import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { t } from '../base/i18n.ts';
import { useShortcuts } from '../base/keys.ts';
import { lazyPart } from '../base/lazy-part.ts';
import { prefs } from '../base/prefs.ts';
import { above, currentLocation, go, match, useLocation } from '../base/router.ts';
import { useStore } from '../base/store.ts';
import { usePageTitle, useTitleCount } from '../base/title.ts';
import type { PageEntry } from '../pages/page-props.ts';
import { pages } from '../pages/registry.tsx';
import { may, server, setUnread, unread } from '../state/app.ts';
import { escalationStore, isOpen } from '../state/escalations.ts';
import { useTopic } from '../state/topic.ts';
import { Icon, Mark } from '../ui/icon.tsx';
import { ConnectionDot } from './connection-dot.tsx';
import { Crumbs } from './crumbs.tsx';
import { navigation } from './navigation.ts';
import { UserMenu } from './user-menu.tsx';

const CommandPalette = lazyPart(
  () => import('./command-palette.tsx'),
  (part) => part.CommandPalette,
);
const HelpDrawer = lazyPart(
  () => import('../pages/help/help-drawer.tsx'),
  (part) => part.HelpDrawer,
);
const KeysDialog = lazyPart(
  () => import('./keys-dialog.tsx'),
  (part) => part.KeysDialog,
);

/** What waits for the reader on each page: open decisions, unread messages. */
type Counts = Readonly<Record<string, number>>;

function Badge({ count }: { count: number | undefined }) {
  return count ? <span className="badge">{count}</span> : null;
}

function NavItem({ page, counts }: { page: PageEntry; counts: Counts }) {
  const { path } = useLocation();
  const current = path === page.path || match(`${page.path}/:id`, path) !== null;
  return (
    <a className="item" href={`#${page.path}`} aria-current={current ? 'page' : undefined} title={t(page.title)}>
      {page.nav && <Icon name={page.nav.icon} />}
      <span className="label">{t(page.title)}</span>
      <Badge count={counts[page.path]} />
    </a>
  );
}

function useCounts(): Counts {
  const waiting = [...useStore(escalationStore).values()].filter(isOpen).length;
  useTitleCount(waiting);
  const own = server.get()?.principal.identity?.id;
  // Every answer says how many messages are unread; the topic says so when nothing is asked.
  useTopic(may('MessagesRead') ? 'me' : null, {
    onEvent: ({ type, data }) => type === 'inbox.count' && data.identityId === own && setUnread(data.unreadMessages),
  });
  return { '/escalations': waiting, '/inbox': useStore(unread) };
}

/**
 * The page's content, under the page's name. Focus goes with the reader from page to page: the name is read out, and keys
 * scroll what is shown. A page that gives the focus a place of its own, or a dialog, keeps it.
 */
function Content({ children }: { children: ReactNode }) {
  const { path } = useLocation();
  const title = usePageTitle();
  const box = useRef<HTMLElement>(null);
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    // What closes as the page changes gives the focus back first.
    const frame = requestAnimationFrame(() => {
      const at = document.activeElement;
      if (!box.current?.contains(at) && !at?.closest('[role=dialog]')) box.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [path]);
  return (
    <main className="main" id="content" tabIndex={-1} ref={box} aria-label={title}>
      {children}
    </main>
  );
}

export function Shell({ children }: { children: ReactNode }) {
  const [finding, setFinding] = useState(false);
  const [keys, setKeys] = useState(false);
  const [helping, setHelping] = useState(false);
  const openHelp = () => (currentLocation().path.startsWith('/help') ? go('/help') : setHelping(true));
  const { rail } = useStore(prefs);
  const counts = useCounts();
  const nav = navigation();
  useShortcuts([
    { keys: 'mod+k', label: t('Find anything'), run: () => setFinding(true) },
    { keys: '/', label: t('Find anything'), run: () => setFinding(true) },
    { keys: '?', label: t('Show keyboard shortcuts'), run: () => setKeys(true) },
    { keys: 'h', label: t('Help for this page'), run: openHelp },
    { keys: 'Escape', label: t('Back'), run: goUp, fallback: true },
    ...nav.map((page) => ({
      keys: `g ${page.nav?.key}`,
      label: t('Go to {page}', { page: t(page.title).toLowerCase() }),
      run: () => go(page.path),
    })),
  ]);
  return (
    <div className="shell" data-rail={rail}>
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        {t('Skip to content')}
      </button>
      <nav className="rail" aria-label={t('Pages')}>
        <a className="rail-brand" href="#/runs" aria-label="Rivulet">
          <Mark />
          <span className="label">Rivulet</span>
        </a>
        {nav.map((page) => (
          <NavItem key={page.path} page={page} counts={counts} />
        ))}
      </nav>
      <header className="top">
        <Crumbs />
        <button type="button" className="find" onClick={() => setFinding(true)}>
          <Icon name="search" />
          <span>{t('Find anything')}</span>
          <kbd>{/Mac|iPhone/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <ConnectionDot />
        <UserMenu onKeys={() => setKeys(true)} onHelp={openHelp} />
      </header>
      <Content>{children}</Content>
      <BottomBar nav={nav} counts={counts} onMore={() => setFinding(true)} />
      <Suspense>
        {finding && <CommandPalette onClose={() => setFinding(false)} />}
        {helping && <HelpDrawer onClose={() => setHelping(false)} />}
        {keys && <KeysDialog onClose={() => setKeys(false)} />}
      </Suspense>
    </div>
  );
}

function goUp() {
  const { path } = currentLocation();
  // A council has no list of its own: it belongs to runs.
  const upper = path.startsWith('/councils/')
    ? '/runs'
    : above(
        path,
        pages.map((page) => page.path),
      );
  if (upper) go(upper);
}

function BottomBar({ nav, counts, onMore }: { nav: PageEntry[]; counts: Counts; onMore: () => void }) {
  const { path } = useLocation();
  const first = nav.filter((page) => ['/runs', '/escalations', '/chat', '/system'].includes(page.path)).slice(0, 4);
  return (
    <nav className="bottom-bar" aria-label={t('Main pages')}>
      {first.map((page) => (
        <a key={page.path} href={`#${page.path}`} aria-current={path.startsWith(page.path) ? 'page' : undefined}>
          {page.nav && <Icon name={page.nav.icon} />}
          {t(page.title)}
          <Badge count={counts[page.path]} />
        </a>
      ))}
      <button type="button" onClick={onMore}>
        <Icon name="menu" />
        {t('More')}
      </button>
    </nav>
  );
}

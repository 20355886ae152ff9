// The whole page: sign-in or the shell, and the page that the URL names.
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import type { ApiError } from '../client/index.ts';
import { t } from './base/i18n.ts';
import { lazyPart } from './base/lazy-part.ts';
import { currentLocation, match, useLocation } from './base/router.ts';
import { useStore } from './base/store.ts';
import { useTitle } from './base/title.ts';
import { Landing } from './pages/landing.tsx';
import { pages } from './pages/registry.tsx';
import { filterOf } from './pages/runs/run-filter.ts';
import { SignInPage } from './pages/signin/signin-page.tsx';
import { Boundary } from './shell/boundary.tsx';
import { Shell } from './shell/shell.tsx';
import { comeBack, may, pauseLive, restartLive, server, start } from './state/app.ts';
import { askAgain } from './state/ask-again.ts';
import { followEscalations } from './state/escalations.ts';
import { toApiError } from './state/resource.ts';
import { loadRunsAhead } from './state/runs.ts';
import { credential, ended } from './state/session.ts';
import { LinkButton } from './ui/button.tsx';
import { layersId } from './ui/dialog.tsx';
import { Empty, Failure, Skeleton } from './ui/states.tsx';
import { Toasts } from './ui/toast.tsx';

/** Anybody's, signed in or not. */
const SharedPage = lazyPart(
  () => import('./pages/shared/shared-page.tsx'),
  (part) => part.SharedPage,
);

export function App() {
  const signedIn = useStore(credential) !== null;
  const over = useStore(ended) !== null;
  const { path } = useLocation();
  const linked = path === '/signin';
  const shared = match('/shared/:token', path);
  if (shared)
    return (
      <Suspense fallback={<Skeleton rows={8} />}>
        <SharedPage token={shared.token ?? ''} />
        <Toasts />
      </Suspense>
    );
  return (
    <>
      {signedIn && !linked && (
        // When the session ends, the page only steps aside: what was being written is there after signing in.
        <div className="signed-in" hidden={over} inert={over}>
          <SignedIn over={over} />
          <div id={layersId} />
        </div>
      )}
      {(!signedIn || linked || over) && <SignInPage />}
      <Toasts />
    </>
  );
}

function SignedIn({ over }: { over: boolean }) {
  const ready = useStore(server) !== null;
  const [error, setError] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    void turn;
    let gone = false;
    setError(null);
    restartLive();
    const { path, query } = currentLocation();
    if (path === '/runs') loadRunsAhead(filterOf(query));
    start().catch((cause: unknown) => gone || setError(toApiError(cause)));
    return () => {
      gone = true;
      server.set(null);
    };
  }, [turn]);
  useEffect(() => {
    if (!over) return;
    pauseLive();
    // Somebody has signed in: where it was, if it is the same person.
    return () => void comeBack().then((same) => same || setTurn((n) => n + 1));
  }, [over]);
  useEffect(() => (ready && may('RunsRead') ? followEscalations() : undefined), [ready]);
  // A server that is not there yet is asked again by itself.
  useEffect(() => askAgain(error, () => setTurn((n) => n + 1)), [error]);
  if (error)
    return (
      <main>
        <Failure isPage error={error} retry={() => setTurn((n) => n + 1)} />
      </main>
    );
  if (!ready) return <Skeleton rows={10} />;
  return (
    <Shell>
      <CurrentPage />
    </Shell>
  );
}

/** The tab is called like the page, until the page knows a better name. */
function Named({ title }: { title: string }) {
  useTitle(title);
  return null;
}

function CurrentPage() {
  const { path } = useLocation();
  for (const page of pages) {
    const params = match(page.path, path);
    if (!params) continue;
    if (page.needs && !may(page.needs)) return <Denied needs={page.needs} />;
    return (
      <Boundary key={page.path}>
        <Named title={t(page.title)} />
        <Suspense fallback={<Skeleton rows={8} />}>
          <page.view params={params} />
        </Suspense>
      </Boundary>
    );
  }
  if (path === '/') return <Landing />;
  return <NoPage title={t('Page not found')} />;
}

const Denied = ({ needs }: { needs: string }) => (
  <NoPage title={t('Permission denied')}>
    {t('This page takes the permission {permission}. Ask an administrator for a role that has it.', {
      permission: needs,
    })}
  </NoPage>
);

function NoPage({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <>
      <Named title={title} />
      <Empty
        isPage
        title={title}
        action={
          <LinkButton href="#/runs" icon="runs">
            {t('Go to runs')}
          </LinkButton>
        }
      >
        {children}
      </Empty>
    </>
  );
}

// Parts of the page that are loaded when they are first shown; a tab that is older than the server's build reloads once.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** How often a part is tried while the network is away, and how long between, ms. */
const attempts = 30;
const pauseMs = 1000;
/** The build that this tab has reloaded for: it does so once for each. */
const reloadedKey = 'rivulet.reloaded';

const scriptOf = (html: string) => /<script[^>]+type="module"[^>]+src="([^"]+)"/.exec(html)?.[1] ?? null;

/** The main script of the build that the server has now, when it is another than this page's. */
async function newerBuild(): Promise<string | null> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const answer = await fetch('./', { cache: 'no-store', headers: { accept: 'text/html' } }).catch(() => null);
  const latest = answer?.ok ? scriptOf(await answer.text()) : null;
  return latest !== own ? latest : null;
}

/** Loads a part; what was written and not sent is kept by the tab, so that a reload loses nothing. */
async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await load();
    } catch (error) {
      const build = await newerBuild();
      if (build !== null && sessionStorage.getItem(reloadedKey) !== build) {
        sessionStorage.setItem(reloadedKey, build);
        window.location.reload();
        return new Promise(() => {});
      }
      if (build !== null || attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** The component that is picked from a module. */
export const lazyPart = <Module, Props>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(() => loadPart(load).then((module) => ({ default: pick(module) })));

// Chromium for browser tests: Debian's, driven by playwright-core; pages that note every complaint of the console.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from './child-server.ts';

const candidates = [
  process.env.CHROMIUM_PATH ?? '',
  // Opens no window, which takes the others a second of CPU for each page.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** Null when this machine has no Chromium; the suites say so and skip. */
export const chromiumPath = candidates.find((path) => path !== '' && existsSync(path)) ?? null;

let built = false;
/** Builds the dashboard if its sources have changed, once a test process. */
export function buildDashboard(): void {
  if (built) return;
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: resolve(import.meta.dirname, '../..') });
  built = true;
}

export function launch(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', ...args],
    // Files leave the process without listeners of their own: the browser ends with the pipe between them.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/** Browsers by their arguments: files that share a process share them, each visit with a context of its own. */
const launched = new Map<string, Promise<Browser>>();

async function sharedBrowser(args: readonly string[]): Promise<Browser> {
  const name = args.join(' ');
  const open = await launched.get(name);
  if (open?.isConnected()) return open;
  const fresh = launch(...args);
  launched.set(name, fresh);
  return fresh;
}

/** A name that leads to this machine and is no secure context: what a server on the local network is to its readers. */
const plainName = 'rivulet.test';

/** The server's address as a page of plain HTTP sees it; for browsers that were launched with `plainArgs`. */
export const plainUrl = (baseUrl: string) => baseUrl.replace('127.0.0.1', plainName);
export const plainArgs = [`--host-resolver-rules=MAP ${plainName} 127.0.0.1`];

/** A loaded machine may need this long for what takes a moment elsewhere, ms. */
const patienceMs = 45_000;

export interface Visit {
  page: Page;
  /** Errors and warnings of the console, and exceptions. */
  complaints: string[];
  close(): Promise<void>;
}

interface SignedIn {
  key?: string;
  /** An access token of a session. */
  token?: string;
}

const sessionMs = 600_000;

/** Requests of each page that are under way. */
const underWay = new WeakMap<Page, Set<Request>>();

function countRequests(page: Page): void {
  const all = new Set<Request>();
  const end = (request: Request) => void all.delete(request);
  page.on('request', (request) => void all.add(request));
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  underWay.set(page, all);
}

/** A fresh page, signed in when a key or a token is given. */
export async function visit(browser: Browser, options: BrowserContextOptions & SignedIn = {}): Promise<Visit> {
  const { key, token, ...context } = options;
  const own = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...context });
  const held = token
    ? { kind: 'session', accessToken: token, expiresAt: Date.now() + sessionMs }
    : { kind: 'key', key };
  if (key || token) {
    const session = JSON.stringify(JSON.stringify(held));
    await own.addInitScript({
      // Frames without an origin have no storage.
      content: `if (self.origin !== 'null') localStorage.setItem('rivulet.session', ${session})`,
    });
  }
  const page = await own.newPage();
  countRequests(page);
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  return { page, complaints, close: () => own.close() };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] }[];
}

/** Fails on any fault that axe finds, by WCAG or by best practice, of whatever weight. */
export async function expectAccessible(page: Page): Promise<void> {
  // What still fades in has the contrast of its half-way colours.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).map((one) => one.finished),
  )`);
  // The page's policy forbids inline scripts, so the code is evaluated by the debugger instead; it stays with the page,
  // and sending and reading it took as long as one look at a page.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axeSource);
  // Frames have no axe of their own; messages to one without an origin would be complaints of the console. Style sheets
  // are loaded anew for an experimental rule alone, which is off.
  const { violations } = await page.evaluate<AxeResult>(
    `axe.run({ iframes: false, resultTypes: ['violations'], preload: { assets: ['media'] } })
      .then(({ violations }) => ({ violations }))`,
  );
  const faults = violations.map(({ id, impact, nodes }) => ({
    id,
    impact,
    nodes: nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 260)}`),
  }));
  expect(faults).toEqual([]);
}

/**
 * Nothing on the page moves for ever that the browser's compositor does not play alone: the whole page would be rendered
 * sixty times a second for it, a third of a processor without a graphics card.
 */
export async function expectStill(page: Page): Promise<void> {
  const moving = () =>
    page.evaluate<string[]>(`(() => {
    const played = new Set(['offset', 'computedOffset', 'easing', 'composite', 'opacity', 'transform']);
    return document.getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime === Infinity)
      .flatMap(({ effect }) => effect.getKeyframes().flatMap((frame) => Object.keys(frame))
        .filter((property) => !played.has(property))
        .map((property) => property + ' of ' + effect.target.outerHTML.slice(0, 160)));
  })()`);
  // What is loading once more shimmers for a moment.
  await expect.poll(moving, { timeout: 10_000 }).toEqual([]);
}

/** No part of the page is wider than the screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await page.evaluate<{ content: number; screen: number }>(
    `(({ scrollWidth, clientWidth }) => ({ content: scrollWidth, screen: clientWidth }))(document.querySelector('.main'))`,
  );
  expect(wide.content).toBeLessThanOrEqual(wide.screen);
}

interface Drawn {
  outerHTML: string;
  contains(other: Drawn | null): boolean;
  getBoundingClientRect(): { x: number; y: number; width: number; height: number };
  ownerDocument: { elementFromPoint(x: number, y: number): Drawn | null };
}

/** Nothing lies over the middle of these: who presses there presses them. */
export async function expectUncovered(all: Locator): Promise<void> {
  for (const one of await all.all()) {
    await one.scrollIntoViewIfNeeded();
    const above = await one.evaluate((element) => {
      const own = element as unknown as Drawn;
      const { x, y, width, height } = own.getBoundingClientRect();
      const found = own.ownerDocument.elementFromPoint(x + width / 2, y + height / 2);
      return own.contains(found) ? null : `${found?.outerHTML.slice(0, 200)} lies over ${own.outerHTML.slice(0, 100)}`;
    });
    expect(above).toBeNull();
  }
}

/** The two ends of what people use: a light desk and a dark phone. */
export const screens = [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

/** The page has taken what came, and drawn what it made of it. */
export const drawn = (page: Page) =>
  page.evaluate('new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go, 20))))');

/** What stands in the place of content that is still to come. */
const placeholders = '[role="status"][aria-busy="true"]';

/**
 * Waits until a page has all that it asks for and has drawn it. Playwright's `networkidle` waits half a second longer, and
 * not at all after a change of the hash, which is no new document. Requests alone do not tell: between two of them a slow
 * machine may compile code, and news that come over a WebSocket are none.
 */
async function untilQuiet(page: Page): Promise<void> {
  const asked = underWay.get(page);
  // The page of the log holds a request open for as long as it is looked at.
  const follows = /#\/logs(?!\?.*tab=)/.test(page.url());
  if (follows) await page.getByText(/^Live ·/).waitFor();
  else if (!asked) await page.waitForLoadState('networkidle');
  else
    do {
      await expect.poll(() => [...asked].map((request) => request.url())).toEqual([]);
      // Each page has its heading once it shows what it is about.
      await expect.poll(() => page.locator('h1').count()).toBeGreaterThan(0);
      await expect.poll(() => page.locator(placeholders).count()).toBe(0);
      // What is drawn may ask for more.
      await drawn(page);
    } while (asked.size > 0 || (await page.locator(placeholders).count()) > 0);
}

/** Waits until the page is quiet, then holds it to everything that each page must be. */
export async function expectWellMade(page: Page): Promise<void> {
  await untilQuiet(page);
  await expectStill(page);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

export interface Stage {
  server: ChildServer;
  browser: Browser;
  /** The API as the administrator. */
  api(): Client;
  /** A fresh page at a path of the dashboard, signed in as the administrator unless the options say otherwise. */
  open(path: string, options?: BrowserContextOptions & SignedIn): Promise<Visit>;
}

/** The sign-in link that a server printed at its first start. */
export const linkOf = ({ output }: ChildServer): string => /http:\S+#\/signin\?token=\S+/.exec(output)?.[0] ?? '';

/** A server on its first start, for one test, which it ends with. */
export async function startFresh(): Promise<ChildServer> {
  const server = await createChildServer();
  onTestFinished(() => server.close());
  await server.start();
  return server;
}

/** A server and a browser for the tests of a file; they are there once its tests and further hooks run. */
export function useStage(
  environment: () => Record<string, string> | Promise<Record<string, string>> = () => ({}),
  ...chromiumArgs: string[]
): Stage {
  const stage = {} as { server: ChildServer; browser: Browser };
  beforeAll(async () => {
    buildDashboard();
    stage.server = await createChildServer(await environment());
    [stage.browser] = await Promise.all([sharedBrowser(chromiumArgs), stage.server.start()]);
  });
  afterAll(async () => {
    // What a failed test has left open would go on at the cost of the files that follow.
    await Promise.all((stage.browser?.contexts() ?? []).map((context) => context.close()));
    await stage.server?.close();
  });
  return Object.assign(stage, {
    api: () => createClient({ baseUrl: stage.server.baseUrl, token: stage.server.key }),
    open: async (path: string, options: BrowserContextOptions & SignedIn = {}) => {
      const signedIn = options.token ? {} : { key: stage.server.key };
      const visited = await visit(stage.browser, { ...signedIn, ...options });
      await visited.page.goto(`${stage.server.baseUrl}/#${path}`);
      return visited;
    },
  });
}

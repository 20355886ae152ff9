// Firefox and WebKit for tests of the dashboard, by the protocols that they speak themselves: WebDriver BiDi and WebDriver.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';
import { freePort } from './child-server.ts';

/** What both can do; everything else is asked of the page itself. */
export interface OtherBrowser {
  /** Opens an address and waits until it is loaded. */
  goto(url: string): Promise<void>;
  /** The value of an expression in the page, awaited; values pass as JSON. */
  run<T>(expression: string): Promise<T>;
  /** Actions of the keyboard, as WebDriver has them. */
  act(actions: readonly object[]): Promise<void>;
  /** Errors and warnings of the console, and exceptions, since this was asked last. */
  complaints(): Promise<string[]>;
  close(): Promise<void>;
}

/** Actions that press these keys together. */
export const presses = (...keys: string[]) => [
  ...keys.map((value) => ({ type: 'keyDown', value })),
  ...keys.toReversed().map((value) => ({ type: 'keyUp', value })),
];

const found = (...paths: string[]) => paths.find((path) => path !== '' && existsSync(path)) ?? null;
const firefoxPath = found(process.env.FIREFOX_PATH ?? '', '/usr/bin/firefox-esr', '/usr/bin/firefox');
const webKitDriverPath = found('/usr/bin/WebKitWebDriver');
const miniBrowserPath = found(
  ...['4.1', '4.0'].map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`),
);
const xvfbPath = found('/usr/bin/Xvfb');

const keyboard = (actions: readonly object[]) => ({ type: 'key', id: 'keyboard', actions });

/** Resolves with what a process prints that fits. */
function printed(child: ChildProcess, pattern: RegExp, stream: 'stdout' | 'stderr'): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    child[stream]?.on('data', (part: Buffer) => {
      text += part.toString();
      const match = pattern.exec(text);
      if (match) resolve(match);
    });
    child.once('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}: ${text.slice(-2000)}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await exit;
}

interface Answer {
  id?: number;
  type: string;
  method?: string;
  params?: { level: string; text: string; stackTrace?: unknown };
  result?: unknown;
  message?: string;
}

/** Calls of WebDriver BiDi over a socket, and its events. */
async function bidi(url: string, onEvent: (answer: Answer) => void) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id === undefined) onEvent(answer);
    else waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  const call = <T>(method: string, params: object) =>
    new Promise<T>((resolve, reject) => {
      const id = ++last;
      waiting.set(id, (answer) => {
        waiting.delete(id);
        if (answer.type === 'success') resolve(answer.result as T);
        else reject(new Error(`${method}: ${answer.message}`));
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  return { call, close: () => socket.close() };
}

const preferences = {
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'toolkit.telemetry.enabled': false,
};

async function firefox(): Promise<OtherBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'rivulet-firefox-'));
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const child = spawn(
    firefoxPath ?? '',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const [, address] = await printed(child, /WebDriver BiDi listening on (ws:\S+)/, 'stderr');
  const complaints: string[] = [];
  const { call, close } = await bidi(`${address}/session`, ({ method, params }) => {
    if (method !== 'log.entryAdded' || !params || !/^(error|warn)/.test(params.level)) return;
    complaints.push(`${params.text} ${JSON.stringify(params.stackTrace ?? '').slice(0, 600)}`);
  });
  await call('session.new', { capabilities: {} });
  await call('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await call<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context;
  // A window that is nowhere has no focus by itself.
  await call('browsingContext.activate', { context });
  return {
    goto: async (url) => void (await call('browsingContext.navigate', { context, url, wait: 'complete' })),
    run: async <T>(expression: string) => {
      const made = await call<{ type: string; result?: { value?: string }; exceptionDetails?: { text: string } }>(
        'script.evaluate',
        {
          expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
          ...{ target: { context }, awaitPromise: true, userActivation: true },
        },
      );
      if (made.type === 'exception') throw new Error(made.exceptionDetails?.text);
      const { value } = made.result ?? {};
      return (value === undefined ? undefined : JSON.parse(value)) as T;
    },
    act: async (actions) => void (await call('input.performActions', { context, actions: [keyboard(actions)] })),
    complaints: async () => complaints.splice(0),
    close: async () => {
      close();
      await end(child);
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** A display that is nowhere, for browsers that cannot do without. */
async function display() {
  const child = spawn(xvfbPath ?? '', ['-displayfd', '1', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [, number] = await printed(child, /(\d+)\n/, 'stdout');
  return { name: `:${number}`, close: () => end(child) };
}

/** Calls of WebDriver. */
const driver =
  (base: string) =>
  async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(base + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`${path}: ${value.error} ${value.message}`);
    return value;
  };

/** The driver says nowhere that it listens. */
async function listening(call: ReturnType<typeof driver>, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (await call('GET', '/status').catch(() => false)) return;
    await pause(20);
  }
  throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
}

/** WebKit's driver tells nothing of the console: a page that is loaded notes from then on what it is told. */
const noteComplaints = `const all = (window.testComplaints = []);
  for (const level of ['error', 'warn']) {
    const say = console[level].bind(console);
    console[level] = (...what) => { all.push(what.join(' ')); say(...what); };
  }
  addEventListener('error', ({ message }) => all.push(message));
  addEventListener('unhandledrejection', ({ reason }) => all.push(String(reason)));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    all.push(violatedDirective + ' ' + blockedURI));`;

async function webKit(): Promise<OtherBrowser> {
  const screen = await display();
  const port = await freePort();
  const child = spawn(webKitDriverPath ?? '', ['-p', String(port)], {
    env: { ...process.env, DISPLAY: screen.name, GDK_BACKEND: 'x11' },
    stdio: 'ignore',
  });
  const call = driver(`http://127.0.0.1:${port}`);
  await listening(call, child);
  const browserOptions = { binary: miniBrowserPath, args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } };
  const { sessionId } = await call<{ sessionId: string }>('POST', '/session', { capabilities });
  const own = `/session/${sessionId}`;
  const noted: string[] = [];
  const here = (script: string) => call<string[]>('POST', `${own}/execute/sync`, { script, args: [] });
  const takeNoted = async () => void noted.push(...(await here('return window.testComplaints?.splice(0) ?? []')));
  return {
    goto: async (url) => {
      await takeNoted();
      await call('POST', `${own}/url`, { url });
      await here(noteComplaints);
    },
    run: async <T>(expression: string) => {
      const value = await call<string | { thrown: string } | null>('POST', `${own}/execute/async`, {
        script: `const done = arguments[arguments.length - 1];
          Promise.resolve().then(() => (${expression})).then((value) => JSON.stringify(value))
            .then(done, (error) => done({ thrown: String(error) }));`,
        args: [],
      });
      if (value !== null && typeof value === 'object') throw new Error(value.thrown);
      return (value === null ? undefined : JSON.parse(value)) as T;
    },
    act: async (actions) => void (await call('POST', `${own}/actions`, { actions: [keyboard(actions)] })),
    complaints: async () => {
      await takeNoted();
      return noted.splice(0);
    },
    close: async () => {
      await call('DELETE', own);
      await end(child);
      await screen.close();
    },
  };
}

/** Browsers by their names; null for what this machine has not. */
export const otherBrowsers: Record<string, (() => Promise<OtherBrowser>) | null> = {
  Firefox: firefoxPath ? firefox : null,
  WebKit: webKitDriverPath && miniBrowserPath && xvfbPath ? webKit : null,
};

// Takes pictures of every page, light and dark, into docs/images: `npx tsx scripts/screenshots.ts`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';

const root = resolve(import.meta.dirname, '..');
const folder = resolve(root, 'docs/images');
const port = 7798;
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Name of the picture, path of the page, and how long its story takes to load, ms. */
const shots: readonly [name: string, path: string, waitMs: number][] = [
  ['runs', '/runs', 1500],
  ['run', '/runs/1', 3500],
  ['run-diff', '/runs/1?tab=diff', 3500],
  ['run-terminal', '/runs/1?tab=terminal', 3500],
  ['run-councils', '/runs/1?tab=councils', 3500],
  ['escalations', '/escalations', 1500],
  ['chat', '/chat/1', 1500],
  ['models', '/models', 1500],
  ['models-budgets', '/models?tab=budgets', 1500],
  ['roles', '/roles', 1500],
  ['analytics', '/analytics', 1500],
  ['identities', '/identities', 1500],
  ['system', '/system', 1500],
];

async function started(server: ChildProcess): Promise<void> {
  await new Promise<void>((ready, failed) => {
    server.stdout?.once('data', () => ready());
    server.once('exit', (code) => failed(new Error(`the fixture server ended with ${code}`)));
  });
}

async function take(page: Page, name: string, path: string, waitMs: number) {
  await page.goto(`http://127.0.0.1:${port}/#${path}`);
  await page.waitForTimeout(waitMs);
  await page.screenshot({ path: resolve(folder, `${name}.png`) });
}

async function main() {
  if (!existsSync(executablePath)) throw new Error(`There is no Chromium at ${executablePath}; set CHROMIUM_PATH.`);
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  const server = spawn(resolve(root, 'node_modules/.bin/tsx'), ['src/web/dev/fixture-server.ts', String(port)], {
    cwd: root,
  });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await started(server);
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 960 },
        colorScheme,
        reducedMotion: 'reduce',
      });
      await context.addInitScript({
        content: `localStorage.setItem('rivulet.session', '{"kind":"key","key":"fixture"}')`,
      });
      const page = await context.newPage();
      for (const [name, path, waitMs] of shots) await take(page, `${name}-${colorScheme}`, path, waitMs);
      await page.setViewportSize({ width: 390, height: 844 });
      await take(page, `phone-run-${colorScheme}`, '/runs/1', 3500);
      await context.close();
    }
  } finally {
    await browser.close();
    server.kill();
  }
}

await main();

// Takes pictures of every page of a real server, light and dark, into docs/images: `npx tsx scripts/screenshots.ts`.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { createWorld, type World } from './pictures/world.ts';

const root = resolve(import.meta.dirname, '..');
const folder = resolve(root, process.argv[2] ?? 'docs/images');
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Name of the picture, and path of the page. */
const shots = ({ runId, chatId }: World): readonly (readonly [name: string, path: string])[] => [
  ['runs', '/runs'],
  ['run', `/runs/${runId}`],
  ['run-diff', `/runs/${runId}?tab=diff`],
  ['run-terminal', `/runs/${runId}?tab=terminal`],
  ['run-councils', `/runs/${runId}?tab=councils`],
  ['escalations', '/escalations'],
  ['chat', `/chat/${chatId}`],
  ['prompts', '/chat/prompts'],
  ['models', '/models'],
  ['models-budgets', '/models?tab=budgets'],
  ['roles', '/roles'],
  ['analytics', '/analytics'],
  ['export', '/export'],
  ['imports', '/imports'],
  ['goals', '/goals'],
  ['evaluation', '/evaluation'],
  ['mirror', '/mirror'],
  ['routines', '/routines'],
  ['webhooks', '/webhooks'],
  ['bots', '/bots'],
  ['connectors', '/connectors'],
  ['channels', '/channels'],
  ['memory', '/memory'],
  ['memory-rules', '/memory/rules'],
  ['memory-graph', '/memory/graph'],
  ['people', '/people'],
  ['people-roles', '/people?tab=roles'],
  ['organisation', '/organisation'],
  ['identities', '/identities'],
  ['inbox', '/inbox'],
  ['audit', '/audit'],
  ['logs', '/logs'],
  ['billing', '/billing'],
  ['policy', '/policy'],
  ['account', '/account?tab=security'],
  ['system', '/system'],
];

/** How long what begins to load may take until it shows that it does, or is drawn, ms. */
const settleMs = 1200;

async function take(page: Page, world: World, name: string, path: string) {
  await page.goto(`${world.baseUrl}/#${path}`);
  await page.waitForTimeout(settleMs);
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: resolve(folder, `${name}.png`) });
}

async function main() {
  if (!existsSync(executablePath)) throw new Error(`There is no Chromium at ${executablePath}; set CHROMIUM_PATH.`);
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  const [world, browser] = await Promise.all([
    createWorld(),
    chromium.launch({ executablePath, args: ['--no-sandbox'] }),
  ]);
  try {
    const session = JSON.stringify(JSON.stringify({ kind: 'key', key: world.key }));
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width: 1440, height: 960 };
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
      await context.addInitScript({ content: `localStorage.setItem('rivulet.session', ${session})` });
      const page = await context.newPage();
      for (const [name, path] of shots(world)) await take(page, world, `${name}-${colorScheme}`, path);
      await page.setViewportSize({ width: 390, height: 844 });
      await take(page, world, `phone-run-${colorScheme}`, `/runs/${world.runId}`);
      await context.close();
    }
  } finally {
    await browser.close();
    await world.close();
  }
}

await main();

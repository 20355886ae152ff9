// The dashboard in browsers that lack something that Chromium has, or do it otherwise.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, plainArgs, plainUrl, useStage, visit } from '../support/browser.ts';

/** A key as browsers send it while an input method composes; Safari says so of the Enter that ends it by its code alone. */
const composing = [
  ['its state', { isComposing: true }],
  ['its code', { keyCode: 229 }],
] as const;
const pressIn = (page: Page, key: string, how: object) =>
  page.evaluate<boolean>(
    `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ key, bubbles: true, cancelable: true, ...how })}))`,
  );

describe.skipIf(chromiumPath === null)('the dashboard in a browser unlike Chromium', () => {
  const stage = useStage(() => ({}), ...plainArgs);

  it.each(composing)('leaves keys of an input method to it, known by %s', async (_, how) => {
    const { page, complaints, close } = await stage.open('/chat/new');
    await page.getByLabel('Message').fill('日本');
    // Whatever takes a key as its own keeps the browser from acting on it.
    expect(await pressIn(page, 'Enter', how)).toBe(true);
    expect(await page.getByLabel('Message').inputValue()).toBe('日本');
    await page.getByLabel('Message').fill('');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('identities');
    for (const key of ['Enter', 'Escape']) expect(await pressIn(page, key, how)).toBe(true);
    expect(await page.getByRole('combobox').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(composing)('leaves them to it on the page of a bot, known by %s', async (_, how) => {
    const { id } = await stage.api().identities.create({ body: { name: `Pilot ${crypto.randomUUID()}`, type: 'AI' } });
    const body = { displayName: 'Pilot', isPublished: true };
    const { publicUrl } = await stage.api().botProfiles.replace({ params: { identityId: id }, body });
    const { page, close } = await visit(stage.browser);
    await page.goto(publicUrl ?? '');
    await page.getByLabel('Your message').fill('日本');
    expect(await pressIn(page, 'Enter', how)).toBe(true);
    expect(await page.getByLabel('Your message').inputValue()).toBe('日本');
    await close();
  });

  it('lets the box of a message grow without `field-sizing`', async () => {
    const { page, close } = await visit(stage.browser, { key: stage.server.key });
    await page.addInitScript({
      content: `const has = CSS.supports.bind(CSS);
        CSS.supports = (...what) => !String(what[0]).includes('field-sizing') && has(...what);`,
    });
    await page.route('**/*.css', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replaceAll(/field-sizing: ?content/g, 'color: inherit'),
      });
    });
    await page.goto(`${stage.server.baseUrl}/#/chat/new`);
    const box = page.getByLabel('Message');
    const height = () => box.evaluate((area) => (area as unknown as { offsetHeight: number }).offsetHeight);
    await box.fill('One');
    const low = await height();
    await box.fill('One\ntwo\nthree\nfour');
    expect(await height()).toBeGreaterThan(low * 1.5);
    await box.fill('One');
    expect(await height()).toBe(low);
    await close();
  });

  it('writes a mail over plain HTTP', async () => {
    const body = { name: 'Post over plain HTTP', type: 'Email' } as const;
    const { id } = await stage.api().connectors.create({ body });
    const { page, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${plainUrl(stage.server.baseUrl)}/#/connectors/${id}/mail`);
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByRole('dialog', { name: 'New mail' }).getByLabel('Subject').waitFor();
    await close();
  });
});

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/embedded-db.ts';
import { openPrices } from './price-file.ts';
import { bundledPrices } from './price-list.ts';
import { refreshPriceFile } from './refresh-price-file.ts';

const entry = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 3e-6, output_cost_per_token: 9e-6 };

it('a refreshed list is used in place of the one that comes with this version, and has its models too', async () => {
  const folder = temporaryFolder();
  expect(openPrices(folder)).toBe(bundledPrices);
  const source = join(temporaryFolder(), 'list.json');
  writeFileSync(source, JSON.stringify({ 'gpt-next': entry }));
  expect((await refreshPriceFile(folder, source)).added).toHaveLength(1);
  expect(openPrices(folder).find('openai:gpt-next')).toEqual({ input: 3, output: 9 });
  expect(openPrices(folder).ids()).toHaveLength(bundledPrices.ids().length + 1);
});

it('a source that is no list changes nothing and is said', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'page.html'), '<html>');
  await expect(refreshPriceFile(folder, join(folder, 'page.html'))).rejects.toThrow('gave no list of prices');
  await expect(refreshPriceFile(folder, 'http://127.0.0.1:9/list.json')).rejects.toThrow('gave no list of prices');
  expect(readdirSync(folder)).toEqual(['page.html']);
});

it('a folder that is not there is said, and not made', async () => {
  const [folder, source] = [join(temporaryFolder(), 'mistyped'), join(temporaryFolder(), 'list.json')];
  writeFileSync(source, JSON.stringify({ 'gpt-next': entry }));
  await expect(refreshPriceFile(folder, source)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: `There is no folder ${folder}.`,
    hint: expect.stringContaining('RIVULET_DATA'),
  });
  expect(existsSync(folder)).toBe(false);
});

it('a list that is damaged ends the start, and says what helps', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'model-prices.json'), '{"gpt-next":');
  expect(() => openPrices(folder)).toThrow('cannot be read');
});

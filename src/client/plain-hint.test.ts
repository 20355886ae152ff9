import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, root } from '../../test/support/sources.ts';
import { plainHint } from './plain-hint.ts';

it.each([
  ['List projects with GET /api/projects.', 'List projects under Projects.'],
  ['Name one; list them with GET /api/projects/7/facts.', 'Name one; list them under Facts.'],
  ['Switch it on with PATCH /api/webhooks/{id} and enabled true.', 'Switch it on under Webhooks.'],
  ['Switch it on: PATCH /api/projects/7 with {"siteEnabled": true}.', 'Switch it on, under Projects.'],
  ['GET /api/system/config lists them.', 'The page System lists them.'],
  ['Nothing was changed. GET /api/system/config shows each.', 'Nothing was changed. The page System shows each.'],
  ['Use POST /api/users/me/password.', 'Use the page Account.'],
  ['An administrator allows them (PUT /api/tenant-policy).', 'An administrator allows them (under Policy).'],
  ['Continue it with POST /api/agent/runs/7/restart or /fork.', 'Continue it under Runs.'],
  ['Get a new one with POST /api/auth/refresh.', 'Get a new one.'],
  ['Use GET /v1/models.', 'Use the API.'],
  ['Correct text; /docs shows what is expected.', 'Correct text.'],
  ['Wait a little.', 'Wait a little.'],
])('%s is said for people', (hint, said) => {
  expect(plainHint(hint)).toBe(said);
});

it('says where the pages are to who has none', () => {
  expect(plainHint('List them with GET /api/users.', ' in the dashboard')).toBe(
    'List them under People in the dashboard.',
  );
});

it('leaves no operation in any hint of the server', () => {
  const isOperation = /\b(GET|POST|PUT|PATCH|DELETE) \//;
  const texts = filesIn(['src/groups', 'src/auth', 'src/models', 'src/projects', 'runtime'], /(?<!\.test)\.ts$/)
    .flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/\bhint: (['`])(.*?)\1/g)])
    .map(([, , text = '']) => text.replaceAll(/\$\{[^}]*\}/g, '7'));
  const named = texts.filter((text) => isOperation.test(text));
  expect(named.length).toBeGreaterThan(80);
  expect(named.map((text) => plainHint(text)).filter((text) => isOperation.test(text))).toEqual([]);
});

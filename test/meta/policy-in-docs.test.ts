// Every field of the tenant's policy that docs/operations.md tells of is on the page of the policy, and the other way round.
import { expect, it } from 'vitest';
import { textOf } from '../support/documents.ts';

it('the page of the policy has every field that the document tells of', () => {
  const [, table = ''] = /^## Tenant policy$([\s\S]*?)^\*\*/m.exec(textOf('docs/operations.md')) ?? [];
  const told = (table.match(/^\| `.*?\|/gm) ?? []).flatMap((cell) => cell.match(/\w+/g) ?? []);
  const page = textOf('src/web/pages/policy/sections.ts');
  const shown = [...page.matchAll(/\bkey: '(\w+)'/g)].map(([, key]) => key);
  expect(shown.length).toBeGreaterThan(20);
  expect(told.sort()).toEqual(shown.sort());
});

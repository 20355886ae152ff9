import { expect, it, vi } from 'vitest';

vi.stubGlobal('window', { addEventListener: () => {}, location: { hash: '' } });
const { above, match } = await import('./router.ts');

it('matches paths, whatever somebody has written into one', () => {
  expect(match('/runs/:id', '/runs/7')).toEqual({ id: '7' });
  expect(match('/help/:slug', '/help/a%20b')).toEqual({ slug: 'a b' });
  expect(match('/help/:slug', '/help')).toBeNull();
  expect(match('/help/:slug', '/help/100%')).toEqual({ slug: '100%' });
});

it('takes no word for the number of a thing', () => {
  expect(match('/runs/:id', '/runs/abc')).toBeNull();
  expect(match('/runs/compare', '/runs/compare')).toEqual({});
});

it('finds what is above a path, past what is no page', () => {
  const pages = [
    '/connectors',
    '/connectors/:id',
    '/connectors/:id/mail',
    '/evaluation',
    '/evaluation/experiments/:id',
  ];
  expect(above('/connectors/7/mail', pages)).toBe('/connectors/7');
  expect(above('/evaluation/experiments/3', pages)).toBe('/evaluation');
  expect(above('/councils/5', pages)).toBeNull();
  expect(above('/connectors', pages)).toBeNull();
});

import { expect, it, vi } from 'vitest';

let heard = () => {};
const address = { hash: '' };
vi.stubGlobal('window', {
  addEventListener: (_: 'hashchange', listener: () => void) => {
    heard = listener;
  },
  location: address,
  history: { replaceState: (_: null, __: '', target: string) => void Object.assign(address, { hash: target }) },
});
const { above, match, patchFromHere, patchQuery } = await import('./router.ts');

/** Follows a link; the page hears of it only with `heard`. */
const follow = (hash: string) => Object.assign(address, { hash });
const open = (hash: string) => {
  follow(hash);
  heard();
};

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

it('keeps what a page says out of the address that a link has just led to', () => {
  open('#/runs/1?moment=5');
  patchQuery({ moment: 6 });
  expect(address.hash).toBe('#/runs/1?moment=6');
  follow('#/runs/2');
  // The rest of a scrubber, or a pause in typing, ends before the event of the link is heard.
  patchQuery({ moment: 7 });
  expect(address.hash).toBe('#/runs/2');
  heard();
  patchQuery({ tab: 'files' });
  expect(address.hash).toBe('#/runs/2?tab=files');
});

it('begins from the query that a link of the same page has just named', () => {
  open('#/runs?show=active');
  follow('#/runs?show=failed');
  patchQuery({ page: 2 });
  expect(address.hash).toBe('#/runs?show=failed&page=2');
});

it('patches no other page after an answer than the one that asked', () => {
  open('#/chat/1?tag=old');
  const answered = patchFromHere();
  open('#/chat/1?tag=old&folder=a');
  answered({ tag: 'new' });
  expect(address.hash).toBe('#/chat/1?tag=new&folder=a');
  open('#/memory');
  answered({ tag: 'newer' });
  expect(address.hash).toBe('#/memory');
});

// The help as it comes with the server: every code and page has its topic, and words find it.
import { expect, it } from 'vitest';
import { errorStatus } from '../../kernel/error-codes.ts';
import { openLibrary } from './library.ts';
import { createHelpSearch } from './search.ts';

const library = await openLibrary();
const search = await createHelpSearch(library);
const found = (query: string) => search.find(query, 5).map(({ slug }) => slug);

it('has a topic for every error code, with its cause and cure', () => {
  const codes = library.topics.filter(({ category }) => category === 'errors').map(({ title }) => title);
  expect(codes).toEqual(Object.keys(errorStatus));
  for (const code of Object.keys(errorStatus)) {
    const [first] = search.about({ errorCode: code });
    expect(first?.title).toBe(code);
    // A sentence of cause and one of cure, at least.
    expect(first?.markdown.split(/[.:;](?=\s)/).length, code).toBeGreaterThan(2);
  }
});

it('names only categories and codes that there are, and has words for each topic', () => {
  const keys = library.categories.map(({ key }) => key);
  for (const { slug, title, summary, category, errorCodes } of library.topics) {
    expect(keys, slug).toContain(category);
    expect(title && summary, slug).toBeTruthy();
    for (const code of errorCodes) expect(Object.keys(errorStatus), slug).toContain(code);
  }
  expect(library.categories.every(({ topicCount }) => topicCount > 0)).toBe(true);
  expect(new Set(library.topics.map(({ slug }) => slug)).size).toBe(library.topics.length);
});

it.each([
  ['how do I make a backup', 'operations'],
  ['restor', 'operations'],
  ['pool is exhausted', 'budgets'],
  ['error-pool-exhausted', 'error-pool-exhausted'],
  ['POOL_EXHAUSTED', 'error-pool-exhausted'],
  ['who decides an aproval', 'escalations'],
  ['connect ollama', 'first-steps'],
  ['lost password', 'people'],
  ['how do I get back in when I lost my password', 'people'],
  ['reconnect websocket cursor', 'streams'],
  ['second factor', 'people'],
])('finds "%s"', (query, slug) => {
  expect(found(query)).toContain(slug);
});

it('finds nothing for signs and words that nobody wrote', () => {
  expect(found('qqqqzzzz')).toEqual([]);
  expect(found('*** (((')).toEqual([]);
  expect(found('the')).toEqual([]);
});

it('shows where a word stands', () => {
  const [hit] = search.find('mongodump', 1);
  expect(hit?.snippet).toContain('mongodump');
  expect(hit?.snippet.length).toBeLessThan(260);
});

it('knows the topics of a page, by ids too', () => {
  const slugs = (route: string) => search.about({ route }).map(({ slug }) => slug);
  expect(slugs('/runs/17?tab=files')).toEqual(['runs', 'budgets', 'escalations', 'councils']);
  expect(slugs('/nowhere')).toEqual([]);
});

it('leads from topic to topic, and out of the project nowhere', () => {
  const topic = library.find('sandbox');
  if (!topic) throw new Error('no topic on sandboxes');
  const { contentHtml, prevSlug, nextSlug, related } = library.detail(topic);
  expect(contentHtml).not.toMatch(/href="[^"]*\.md/);
  expect([prevSlug, nextSlug]).toEqual(['operations', 'security']);
  expect(related.map(({ slug }) => slug)).toContain('error-not-configured');
  const readable = library.find('first-steps');
  expect(readable && library.detail(readable).related.length).toBeGreaterThanOrEqual(0);
});

it('is indexed in small steps, between which others are answered', async () => {
  let turns = 0;
  let isIndexing = true;
  const others = () => {
    turns++;
    if (isIndexing) setImmediate(others);
  };
  setImmediate(others);
  await createHelpSearch(library);
  isIndexing = false;
  expect(turns).toBeGreaterThan(library.topics.length);
});

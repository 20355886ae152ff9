// Finds topics by words, by page and by error code.
import { setImmediate as turn } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import { plainText } from '../../markdown/render.ts';
import type { HelpSearchHit } from './dto.ts';
import type { Library, Topic } from './library.ts';

export interface Passage extends HelpSearchHit {
  /** The section that matched best, in words. */
  text: string;
}

export interface HelpSearch {
  /** Topics that match, the best first, each with its best section. */
  find(query: string, limit: number): Passage[];
  /** Topics on a page of the dashboard and on an error code. */
  about(place: { route?: string | undefined; errorCode?: string | undefined }): Topic[];
}

interface Section {
  id: number;
  slug: string;
  title: string;
  heading: string;
  text: string;
  codes: string;
}

/** Characters of a snippet. */
const snippetLength = 220;

/** Indexes the topics. That takes a quarter of a second of CPU: others are answered between any two sections. */
export async function createHelpSearch({ topics, find }: Library): Promise<HelpSearch> {
  const sections: Section[] = [];
  // Its ranking is BM25+; the fields that say what a section is about count more than its text.
  const index = new MiniSearch<Section>({
    fields: ['title', 'heading', 'codes', 'text'],
    processTerm: (term) => (stopWords.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      boost: { title: 3, heading: 2, codes: 3 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  for (const topic of topics)
    for (const section of sectionsOf(topic)) {
      const kept = { ...section, id: sections.length };
      sections.push(kept);
      index.add(kept);
      await turn();
    }
  return {
    find: (query, limit) => {
      const best = new Map<string, Passage>();
      for (const { id, score, terms } of index.search(query)) {
        const { slug, text } = sections[id] as Section;
        const topic = find(slug) as Topic;
        if (best.has(slug)) continue;
        const { title, category } = topic;
        best.set(slug, { slug, title, category, snippet: snippetOf(text || topic.summary, terms), score, text });
        if (best.size === limit) break;
      }
      return [...best.values()];
    },
    about: ({ route, errorCode }) => {
      const code = errorCode?.toUpperCase();
      const ofCode = code ? topics.filter(({ errorCodes }) => errorCodes.includes(code)) : [];
      const ofRoute = route ? topics.filter(({ routes }) => routes.some((one) => isOn(route, one))) : [];
      // The topic of the code alone comes first: it says the cure.
      return [...new Set([...ofCode.sort(byCodes), ...ofRoute])];
    },
  };
}

const stopWords = new Set(
  'a an and are as at be by can do does for from how i if in is it my not of on or the there this to was what when where which who why with you your'.split(
    ' ',
  ),
);

const byCodes = (one: Topic, other: Topic) => Number(other.category === 'errors') - Number(one.category === 'errors');

function* sectionsOf({ slug, title, summary, errorCodes, markdown }: Topic): Generator<Omit<Section, 'id'>> {
  for (const part of markdown.split(/^(?=##? )/m)) {
    const [first = '', ...rest] = part.split('\n');
    const heading = /^##? (.*)/.exec(first)?.[1] ?? '';
    const isOpening = heading === title;
    const text = plainText(/^##? /.test(first) ? rest.join('\n') : part);
    const codes = isOpening ? `${errorCodes.join(' ')} ${errorCodes.join(' ').replaceAll('_', ' ')}` : '';
    yield { slug, title: isOpening ? title : '', heading: isOpening ? summary : heading, text, codes };
  }
}

/** `/runs/17?tab=files` is on `/runs/:id`. */
function isOn(path: string, route: string): boolean {
  const [asked, known] = [path.split(/[?#]/, 1)[0] ?? '', route].map((text) => text.split('/').filter(Boolean));
  if (!asked || !known || asked.length !== known.length) return false;
  return known.every((part, at) => part.startsWith(':') || part === asked[at]);
}

/** The part of a text around the first of some words. */
function snippetOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const hit = places.length > 0 ? Math.min(...places) : 0;
  if (text.length <= snippetLength) return text;
  const from = hit < snippetLength / 2 ? 0 : text.lastIndexOf(' ', hit - snippetLength / 3) + 1;
  const end = from + snippetLength >= text.length ? text.length : text.lastIndexOf(' ', from + snippetLength);
  return `${from > 0 ? '… ' : ''}${text.slice(from, end > hit ? end : from + snippetLength)}${end < text.length ? ' …' : ''}`;
}

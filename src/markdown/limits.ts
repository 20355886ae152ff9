// What a text of anybody may have in it, and how much of that: one rule for HTML and for the dashboard.

/** Characters of a text that is parsed; a longer one is shown as it is. */
export const longest = 1_000_000;
/** Elements of a text; one with more is shown as it is. */
export const mostElements = 100_000;
/** Levels of quotes (one each) and lists (two each) that are taken as such; what is deeper is a paragraph. */
export const deepestBlock = 40;
/** Levels of all elements, emphasis within emphasis included; what is deeper is words. */
export const deepest = 60;
/** Characters of an address; a longer one is no link. */
export const longestAddress = 2000;
/** Characters of all addresses, for each of the text: one definition can be used very often. */
export const addressGrowth = 10;
/** Characters of a formula within a line, and of one that stands alone. */
export const longestFormula = { inline: 500, block: 3000 };
/** Formulas and diagrams, which take a while to draw; those after them are shown as they are. */
export const mostFormulas = 1000;
export const mostDiagrams = 20;

/** Characters of code that is coloured, of a line of it, and of all code of a text: the patterns of languages are quadratic. */
const longestColoured = 20_000;
const longestLine = 250;
export const mostColoured = 40_000;

/** Whether colouring code ends within a moment. */
export const mayColour = (code: string): boolean =>
  code.length <= longestColoured && !new RegExp(`[^\\n]{${longestLine + 1}}`).test(code);

const tags = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'blockquote',
  'ul',
  'ol',
  'li',
  'hr',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'em',
  'strong',
  's',
  'a',
  'br',
] as const;
/** Every element that a text can make, beside code and formulas. */
export type Tag = (typeof tags)[number];

const known: ReadonlySet<string> = new Set(tags);
export const isTag = (tag: string): tag is Tag => known.has(tag);

/** Addresses that a link may have: those that open a page or a mail, and those within the place where the text is. */
export const isSafe = (href: string): boolean =>
  href.length <= longestAddress && /^(https?:|mailto:|[^:]*$|[/?#])/i.test(href.trim());

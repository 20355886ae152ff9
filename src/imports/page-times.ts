// Times as pages of Takeout write them, in the language and the zone of whoever asked for the export.

const locales = 'en de fr es pt it nl pl ru uk tr ro cs sv da nb fi hu el hr sk bg id vi'.split(' ');

/** Numbers of months by their names, long and short, without dots. Made with the first page: it takes 40 ms. */
let months: ReadonlyMap<string, number> | undefined;
function monthsByName(): ReadonlyMap<string, number> {
  const names = locales
    .toReversed()
    .flatMap((locale) => (['long', 'short'] as const).flatMap((month) => namesIn(locale, month)));
  return new Map(names);
}

function namesIn(locale: string, month: 'long' | 'short'): [string, number][] {
  const aloneIn = new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' });
  const withinIn = new Intl.DateTimeFormat(locale, { month, day: 'numeric', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, at): [string, number][] => {
    const date = new Date(Date.UTC(2026, at, 5));
    const alone = aloneIn.format(date);
    const within = withinIn.formatToParts(date).find(({ type }) => type === 'month')?.value;
    return [alone, within ?? alone].map((name) => [plainName(name), at]);
  }).flat();
}

/** Hours from UTC of zones that are called by their letters. */
const zones: Readonly<Record<string, number>> = {
  ...{ UTC: 0, GMT: 0, Z: 0, WET: 0, WEZ: 0, WEST: 1, BST: 1, CET: 1, MEZ: 1, CEST: 2, MESZ: 2, EET: 2, OEZ: 2 },
  ...{ EEST: 3, OESZ: 3, MSK: 3, TRT: 3, IST: 5.5, ICT: 7, WIB: 7, JST: 9, KST: 9, AEST: 10, AEDT: 11, NZST: 12 },
  ...{ NZDT: 13, BRT: -3, ART: -3, EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 },
  ...{ AKST: -9, AKDT: -8, HST: -10 },
};

const clock =
  /(?:(AM|PM|上午|下午|午前|午後|오전|오후)\s*)?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?\s*(AM|PM|a\.?\s?m\.?|p\.?\s?m\.?)?(?:\s*(?:(?:GMT|UTC)([+−-]\d{1,2})(?::?(\d{2}))?|\(?(\p{L}{1,5})\)?))?$/iu;
const date = {
  numbers: /^(\d{1,4})\s?[./年-]\s?(\d{1,2})\s?[./月-]\s?(\d{1,4})\s?[.日]?$/u,
  dayFirst: /^(?:\p{L}{2,12}\.?,? )?(\d{1,2})\.? (?:de |of )?(\p{L}{3,12})\.?,?(?: de)? (\d{4})(?: г\.?| р\.?)?$/u,
  monthFirst: /^(?:\p{L}{2,12}\.?, )?(\p{L}{3,12})\.? (\d{1,2}),? (\d{4})$/u,
};
const between = /(?:[\s,]|\b(?:at|um|à|às|a las|om|kl\.?|в|о)(?=\s))+$/u;

/** The time that a line is, as a whole; null where it is another line. Without a zone it is taken for UTC. */
export function pageTime(line: string): Date | null {
  const text = line.replaceAll(/[\u00a0\u202f\u2009]/g, ' ').trim();
  if (text.length > 80) return null;
  const time = clock.exec(text);
  const day = time && dayOf(text.slice(0, time.index).replace(between, ''));
  if (!time || !day) return null;
  const [, before, hour, minute, second, after, offset, minutes, zone] = time;
  const half = before ?? after;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^(?:p|下|午後|오후)/i.test(half) ? 12 : 0);
  const known = zone === undefined ? 0 : zones[zone.toUpperCase()];
  // A zone that is not known is one of the letters that end another line.
  if (known === undefined && !/^\p{Lu}+$/u.test(zone ?? '')) return null;
  const east = offset ? Number(offset.replace('−', '-')) : (known ?? 0);
  const ms = Date.UTC(day.year, day.month, day.day, hours, Number(minute), Number(second ?? 0));
  const shift = (Math.abs(east) * 60 + Number(minutes ?? 0)) * 60_000 * Math.sign(east);
  return Number.isNaN(ms) ? null : new Date(ms - shift);
}

function dayOf(text: string): { year: number; month: number; day: number } | null {
  const numbers = date.numbers.exec(text);
  if (numbers) {
    const [, one = '', two = '', three = ''] = numbers;
    const isYearFirst = one.length === 4;
    if (!isYearFirst && three.length !== 4) return null;
    const [first, second] = [Number(one), Number(two)];
    if (isYearFirst) return valid(first, second - 1, Number(three));
    // With slashes a month may come first; the 13th and later tell.
    const isMonthFirst = text.includes('/') && second > 12;
    return isMonthFirst ? valid(Number(three), first - 1, second) : valid(Number(three), second - 1, first);
  }
  const [dayFirst, monthFirst] = [date.dayFirst.exec(text), date.monthFirst.exec(text)];
  const [day, name, year] = dayFirst
    ? [dayFirst[1], dayFirst[2], dayFirst[3]]
    : [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]];
  months ??= monthsByName();
  const month = months.get(plainName(name ?? ''));
  return month === undefined ? null : valid(Number(year), month, Number(day));
}

const valid = (year: number, month: number, day: number) =>
  month >= 0 && month < 12 && day >= 1 && day <= 31 && year > 1990 && year < 2200 ? { year, month, day } : null;

function plainName(name: string): string {
  return name.toLowerCase().replaceAll('.', '');
}

// Texts and formats in the reader's language. English texts are their own keys; a catalogue maps them to another language.
type Catalogue = Readonly<Record<string, string>>;

let catalogue: Catalogue = {};

/** The reader's locale; WebKit names the system's, which need not be a language: `C` where it has none. */
function localeOf(reader: Navigator | undefined): string {
  try {
    return Intl.getCanonicalLocales(reader?.language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
let locale = localeOf(globalThis.navigator);

/** Switches language; texts that the catalogue lacks stay English. */
export function setLanguage(code: string, texts: Catalogue) {
  locale = code;
  catalogue = texts;
  formats.clear();
}

/** The text in the reader's language, with `{name}` filled in. */
export function t(text: string, values: Record<string, string | number> = {}): string {
  const found = catalogue[text] ?? text;
  return found.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** `plural(3, '{n} run', '{n} runs')` */
export function plural(n: number, one: string, many: string): string {
  return t(n === 1 ? one : many, { n: formatNumber(n) });
}

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();
function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format as Intl.NumberFormat;
}
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `d${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format as Intl.DateTimeFormat;
}

export const formatNumber = (value: number): string => numberFormat({ maximumFractionDigits: 0 }).format(value);

/** 1,234 in full below 10,000, then 12.3k, 4.1M. */
export function formatShort(value: number): string {
  if (Math.abs(value) < 10_000) return formatNumber(value);
  return numberFormat({ notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

export const formatPercent = (share: number): string =>
  numberFormat({ style: 'percent', maximumFractionDigits: share > 0 && share < 0.1 ? 1 : 0 }).format(share);

/** Dollars with as many digits as small sums need. */
export function formatCost(usd: number): string {
  const digits = usd === 0 || usd >= 100 ? 2 : usd >= 0.1 ? 2 : 4;
  return numberFormat({
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usd);
}

/** 480 ms, 3.2 s, 2 m 05 s, 1 h 12 m, 3 d 4 h. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}

export const formatClock = (at: string | number): string =>
  dateFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(new Date(at));

export function formatDate(at: string | number): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
}

/** The day alone. */
export const formatDay = (at: string | number): string => dateFormat({ dateStyle: 'medium' }).format(new Date(at));

/** now, 12 s ago, 5 m ago, 3 h ago, then the date. */
export function formatAgo(at: string | number, now: number): string {
  const ms = now - new Date(at).getTime();
  if (ms < 5000) return t('now');
  if (ms < 60_000) return t('{n} s ago', { n: Math.floor(ms / 1000) });
  if (ms < 3_600_000) return t('{n} m ago', { n: Math.floor(ms / 60_000) });
  if (ms < 86_400_000) return t('{n} h ago', { n: Math.floor(ms / 3_600_000) });
  return dateFormat({ month: 'short', day: 'numeric' }).format(new Date(at));
}

/** Names that are written in a way of their own. */
const ownWays: Readonly<Record<string, string>> = {
  ...{ Mcp: 'MCP', Sse: 'SSE', RestApi: 'REST API', Soap: 'SOAP', GraphQl: 'GraphQL', WebSocket: 'WebSocket' },
  ...{ StreamableHttp: 'Streamable HTTP', ApiKey: 'API key', MutualTls: 'Mutual TLS', HmacSignature: 'HMAC signature' },
  ...{ OAuth2ClientCredentials: 'OAuth 2 client credentials', OAuth2AuthorizationCode: 'OAuth 2 authorization code' },
};

/** `WaitingForDecision` → `Waiting for decision`; `AI` stays what it is. */
export function words(name: string): string {
  if (name === name.toUpperCase()) return t(name);
  const own = Object.hasOwn(ownWays, name) ? ownWays[name] : undefined;
  if (own !== undefined) return t(own);
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return t((spaced.charAt(0).toUpperCase() + spaced.slice(1)).replace(/^Ai\b/, 'AI'));
}

/** Names as the options of a choice. */
export const namesOf = <Name extends string>(names: readonly Name[]): readonly (readonly [Name, string])[] =>
  names.map((name) => [name, words(name)] as const);

/** The same, with one for all of them, which is no name. */
export const allOr = <Name extends string>(names: readonly Name[]): readonly (readonly [Name | '', string])[] => [
  ['', t('All')],
  ...namesOf(names),
];

// Finds secrets that a mark announces: private keys between their lines, passwords in addresses, credentials of headers.
import { type Finding, finding } from './findings.ts';

const keyBegins = /-----BEGIN ([A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d: /g;
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: ?[a-f0-9]{20,128}/g;
/** What a key consists of whose end is missing. */
const keyBody = /^[A-Za-z0-9+/=\s\\:,-]*/;
const longestKey = 20_000;

/** Private keys, also one whose end was cut off. Each beginning and each end is looked at once. */
export function privateKeysIn(text: string): Finding[] {
  const found: Finding[] = [];
  const begins = [...text.matchAll(keyBegins)];
  if (begins.length === 0) return found;
  const ends = [...text.matchAll(keyEnds)];
  let nextEnd = 0;
  let done = 0;
  for (const [number, begin] of begins.entries()) {
    if (begin.index < done) continue;
    while (ends[nextEnd] && (ends[nextEnd] as RegExpExecArray).index < begin.index) nextEnd++;
    const end = ends[nextEnd];
    const nextBegin = begins[number + 1]?.index ?? text.length;
    if (end && end.index < nextBegin) done = end.index + end[0].length;
    else {
      const from = begin.index + begin[0].length;
      const body = keyBody.exec(text.slice(from, Math.min(nextBegin, from + longestKey)));
      done = from + (body?.[0].length ?? 0);
    }
    found.push(finding('PrivateKey', begin.index, done));
  }
  return found;
}

/** `scheme://user:password@host`; the password may have marks that should be written as `%40`. */
const login =
  /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]{1,30}):\/\/([^\s:/@"'<>]{0,128}):([^\s/"'<>]{1,256})@(?=[A-Za-z0-9[_{$-])/gi;
/** A password with a slash, which servers of databases take. */
const slashed =
  /(?<![A-Za-z0-9+.-])((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse)):\/\/([^\s:/@"'<>]{0,128}):([^\s@"'<>]{1,256})@(?=[A-Za-z0-9[_{$-])/gi;
const placeholder =
  /^(?:\$.*|\{.*|<.*|%[A-Z_]+%|\*+|•+|x+|\.+|…|(?:my|your|the)?[-_]?(?:pass|password|pwd|secret|token|key)|user|redacted|hidden)$/i;

/** Addresses with a password in them, and addresses that are secrets themselves. */
export function addressesIn(text: string): Finding[] {
  if (!text.includes('://')) return [];
  const found: Finding[] = [];
  for (const pattern of [login, slashed])
    for (const { index, 0: all, 3: password } of text.matchAll(pattern))
      if (!placeholder.test(password ?? '')) found.push(finding('ConnectionString', index, index + all.length));
  for (const { index, 0: all } of text.matchAll(hooks))
    found.push(finding('Credential', index, index + all.length, 'webhook address'));
  return found;
}

const hooks = new RegExp(
  [
    'https://hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}',
    'https://(?:\\w{1,20}\\.)?discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{15,22}/[\\w-]{40,}',
    'https://[a-z0-9-]{1,60}\\.webhook\\.office\\.com/webhookb2/[\\w@/-]{40,}',
    'https://hooks\\.zapier\\.com/hooks/catch/\\d{4,12}/\\w{5,}',
    'https://[a-f0-9]{32}(?::[a-f0-9]{32})?@[a-z0-9.-]{3,80}/\\d{1,20}',
  ].join('|'),
  'g',
);

/** `Authorization: Bearer …`, `Basic …`, `x-api-key: …`, and what programs are given with `-u user:password`. */
const bearer = /\b(Bearer|Token|Basic|ApiKey|Digest) +([A-Za-z0-9_.+/=~-]{16,4096})/g;
const userOption = /(?<![\w-])(?:-u|--user|--proxy-user)[ =]["']?([^\s:"']{1,64}):([^\s"']{4,128})/g;

export function headersIn(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { index, 0: all, 1: scheme, 2: value } of text.matchAll(bearer)) {
    if (!/\d/.test(value ?? '') && !(scheme === 'Basic' && /[A-Z]/.test(value ?? '') && /[a-z]/.test(value ?? '')))
      continue;
    const end = index + all.length;
    found.push(finding('Credential', end - (value ?? '').length, end));
  }
  for (const { index, 0: all, 2: password } of text.matchAll(userOption))
    if (!placeholder.test(password ?? ''))
      found.push(finding('Password', index + all.length - (password ?? '').length, index + all.length));
  return found;
}

// Finds numbers that belong to one person: payment cards, IBANs, and ids of states, by their check digits.
import { hasLuhn, hasMod97 } from './checks.ts';
import { type Finding, finding } from './findings.ts';

/** Digits in groups, with nothing before or after that would make them part of something else. */
const digitRuns = /(?<![\w.-]|[/#=]\d{0,3})\d(?:[ -]?\d){11,18}(?![\w]|[-.]\d)/g;

/** Lengths of a card's number by how it begins (ISO/IEC 7812; ranges of the networks). */
const brands: readonly [RegExp, readonly number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^5[1-5]/, [16]],
  [/^2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16]],
  [/^35(?:2[89]|[3-8]\d)/, [16, 19]],
  [/^6(?:011|5|4[4-9])/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [12, 13, 14, 15, 16, 17, 18, 19]],
  [/^220[0-4]/, [16, 19]],
];

/** Groups that cards are written in. */
const groups = /^(?:\d{12,19}|(?:\d{4}([ -]))(?:\d{4}\1){2}\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})$/;

export function cardsIn(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { index, 0: run } of text.matchAll(digitRuns)) {
    const digits = run.replace(/\D/g, '');
    const fits = brands.some(([begins, lengths]) => begins.test(digits) && lengths.includes(digits.length));
    // One digit again and again passes the check, and is what people type to try.
    if (fits && groups.test(run) && hasLuhn(digits) && !/^(\d)\1+$/.test(digits))
      found.push(finding('PaymentCard', index, index + run.length, `payment card …${digits.slice(-4)}`));
  }
  return found;
}

/** Length of IBANs by country, from the registry of SWIFT. */
const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 ' +
    'GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 ' +
    'MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 ' +
    'TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const ibanBegins = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?=[ -]?[A-Z0-9]{2})/gi;
const longestIban = 34;

export function ibansIn(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { index, 0: begins } of text.matchAll(ibanBegins)) {
    const length = ibanLengths[begins.slice(0, 2).toUpperCase()];
    if (!length) continue;
    const end = endOfGroups(text, index, length);
    if (end === null) continue;
    if (hasMod97(text.slice(index, end).replace(/[ -]/g, '').toUpperCase())) found.push(finding('Iban', index, end));
  }
  return found;
}

/** Where so many letters and digits end, with single blanks between them; null where there are others. */
function endOfGroups(text: string, start: number, length: number): number | null {
  let count = 0;
  let at = start;
  for (; at < text.length && at < start + 2 * longestIban && count < length; at++) {
    const character = text[at] as string;
    if (/[A-Za-z0-9]/.test(character)) count++;
    else if (!/[ -]/.test(character) || /[ -]/.test(text[at - 1] as string)) return null;
  }
  return count === length && !/[A-Za-z0-9]/.test(text[at] ?? '') ? at : null;
}

interface NationalId {
  label: string;
  pattern: RegExp;
  isOne(digits: string): boolean;
}

const weighed = (digits: string, weights: readonly number[]) =>
  weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);
const checkOf11 = (sum: number) => ((sum * 10) % 11) % 10;
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at);

const nationalIds: readonly NationalId[] = [
  {
    label: 'US social security number',
    pattern: /(?<![\w.-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-]|\.\d)/g,
    isOne: () => true,
  },
  {
    label: 'UK national insurance number',
    pattern:
      /(?<![\w-])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![\w-])/g,
    isOne: () => true,
  },
  {
    label: 'Brazilian CPF',
    pattern: /(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])/g,
    isOne: (digits) =>
      checkOf11(weighed(digits, down(10, 2))) === Number(digits[9]) &&
      checkOf11(weighed(digits, down(11, 2))) === Number(digits[10]),
  },
  {
    label: 'Spanish DNI',
    pattern: /(?<![\w.-])[XYZ\d]\d{7}-?[A-HJ-NP-TV-Z](?![\w-])/g,
    isOne: (id) => {
      const digits = id.replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
      return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits.slice(0, 8)) % 23] === id.at(-1);
    },
  },
  {
    label: 'Italian codice fiscale',
    pattern: /(?<![\w-])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![\w-])/g,
    isOne: () => true,
  },
  {
    label: 'French social security number',
    pattern: /(?<![\w.-])[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?![\w-]|\.\d)/g,
    isOne: (id) => {
      const digits = id.replace('2A', '19').replace('2B', '18');
      return 97 - Number(BigInt(digits.slice(0, 13)) % 97n) === Number(digits.slice(13));
    },
  },
];

export function nationalIdsIn(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { label, pattern, isOne } of nationalIds)
    for (const { index, 0: all } of text.matchAll(pattern))
      if (isOne(all.replace(/[ .-]/g, ''))) found.push(finding('NationalId', index, index + all.length, label));
  return found;
}

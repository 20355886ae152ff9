// Finds secrets and personal data in a text and says what they are and where; what becomes of them a person decides.
import { assignmentsIn } from './assignments.ts';
import { emailsIn, phonesIn } from './contacts.ts';
import { type Finding, type Sensitivity, settled } from './findings.ts';
import { cardsIn, ibansIn, nationalIdsIn } from './numbers.ts';
import { addressesIn, headersIn, privateKeysIn } from './passages.ts';
import { createTokenFinder } from './tokens.ts';

export type { Finding, FindingKind, Sensitivity } from './findings.ts';

const tokensIn = createTokenFinder();
const finders: Readonly<Record<Sensitivity, readonly ((text: string) => Finding[])[]>> = {
  Secret: [privateKeysIn, addressesIn, headersIn, tokensIn, assignmentsIn],
  Personal: [cardsIn, ibansIn, nationalIdsIn, emailsIn, phonesIn],
};

/** Ends of lines inside of JSON: their letters are no part of what follows them. */
const escapes = /\\{1,8}[nrt]/g;

/**
 * Secrets and personal data of a text, by place, none overlapping; in time linear in the text, whatever it is.
 *
 * @param which - secrets or personal data alone; both unless said
 * @example scan('mail anna@example.com') // [{ kind: 'Email', start: 5, end: 21, redacted: '[e-mail address]', … }]
 */
export function scan(text: string, which?: Sensitivity): Finding[] {
  const asked = which ? finders[which] : [...finders.Secret, ...finders.Personal];
  const plain = text.includes('\\') ? text.replace(escapes, (all) => ' '.repeat(all.length)) : text;
  return settled(asked.flatMap((find) => find(plain)));
}

/** The text with each finding replaced by what it is. For logs, support bundles, and what policies keep out. */
export function redact(text: string, which?: Sensitivity): string {
  let redacted = '';
  let done = 0;
  for (const { start, end, redacted: shown } of scan(text, which)) {
    redacted += text.slice(done, start) + shown;
    done = end;
  }
  return done === 0 ? text : redacted + text.slice(done);
}

/** What was found, each kind once, as people read it beside a text: `GitHub token`, `e-mail address`. */
export const flagsOf = (found: readonly Finding[]): string[] => [...new Set(found.map(({ label }) => label))];

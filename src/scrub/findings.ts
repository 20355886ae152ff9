// What the scrubber finds: a secret or personal data, where it stands in a text, and what to show in its place.

/** Kinds by what they are: secrets open doors, personal data tells who somebody is. */
const kinds = {
  ApiKey: { sensitivity: 'Secret', label: 'API key' },
  PrivateKey: { sensitivity: 'Secret', label: 'private key' },
  Jwt: { sensitivity: 'Secret', label: 'JWT' },
  ConnectionString: { sensitivity: 'Secret', label: 'password in an address' },
  Password: { sensitivity: 'Secret', label: 'password' },
  Credential: { sensitivity: 'Secret', label: 'credential' },
  UnknownSecret: { sensitivity: 'Secret', label: 'random token' },
  PaymentCard: { sensitivity: 'Personal', label: 'payment card' },
  Iban: { sensitivity: 'Personal', label: 'IBAN' },
  NationalId: { sensitivity: 'Personal', label: 'national id' },
  Email: { sensitivity: 'Personal', label: 'e-mail address' },
  Phone: { sensitivity: 'Personal', label: 'phone number' },
} as const;

export type FindingKind = keyof typeof kinds;
export type Sensitivity = 'Secret' | 'Personal';

export interface Finding {
  kind: FindingKind;
  sensitivity: Sensitivity;
  /** What it is, in words, e.g. `GitHub token`. */
  label: string;
  /** Its place in the text: UTF-16 units from the beginning; `end` is the first one after it. */
  start: number;
  end: number;
  /** What stands in its place when it is taken out, e.g. `[GitHub token]`. */
  redacted: string;
}

export function finding(kind: FindingKind, start: number, end: number, label: string = kinds[kind].label): Finding {
  return { kind, sensitivity: kinds[kind].sensitivity, label, start, end, redacted: `[${label}]` };
}

/** Findings by place; of two that overlap the earlier one counts, of two at one place the longer. */
export function settled(found: Finding[]): Finding[] {
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  const kept: Finding[] = [];
  for (const next of found) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    // Nothing of the later one may stay readable.
    else if (next.end > last.end) kept[kept.length - 1] = { ...last, end: next.end };
  }
  return kept;
}

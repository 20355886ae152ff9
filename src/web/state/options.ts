// The choices of an escalation: what they are called, which is recommended, and which must be asked about once more.
import type { AgentEscalationDto } from '../../client/index.ts';

export interface Option {
  key: string;
  label: string;
  detail: string | null;
  /** Said to be beyond undoing. */
  irreversible: boolean;
}

type Told = Pick<AgentEscalationDto, 'optionsJson' | 'supervisorRecommendation' | 'urgencyId' | 'situation'>;

const beyondUndoing = /irreversibl|can(?:not|[’']t| not) be (?:undone|reversed|recovered)|no way back|beyond recovery/i;

const optionFrom = (key: string, label: string, detail: string | null = null, flagged = false): Option => ({
  key,
  label,
  detail,
  irreversible: flagged || beyondUndoing.test(`${label} ${detail ?? ''}`),
});

function readOption(item: unknown): Option {
  if (typeof item !== 'object' || item === null) return optionFrom(String(item), String(item));
  const { key, id, value, label, title, name, description, detail, irreversible, reversible } = item as Record<
    string,
    unknown
  >;
  const text = (...all: unknown[]) =>
    all.map((one) => (one === undefined || one === null ? '' : String(one))).find(Boolean);
  const chosen = text(key, id, value, label, title, name) ?? JSON.stringify(item);
  return optionFrom(
    chosen,
    text(label, title, name) ?? chosen,
    text(description, detail) ?? null,
    irreversible === true || reversible === false,
  );
}

/** Texts, objects with a key, a label and more, or an object of labels by key. */
export function optionsOf({ optionsJson }: Told): Option[] {
  let list: unknown;
  try {
    list = JSON.parse(optionsJson ?? '[]');
  } catch {
    return [];
  }
  if (Array.isArray(list)) return list.map(readOption);
  if (typeof list !== 'object' || list === null) return [];
  if ('options' in list && Array.isArray(list.options)) return list.options.map(readOption);
  return Object.entries(list).flatMap(([key, label]) => (typeof label === 'string' ? [optionFrom(key, label)] : []));
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The key of the option that is recommended: named as it is, or at the beginning of what is recommended, or alone in it. */
export function recommendedOf({ supervisorRecommendation }: Told, options: readonly Option[]): string | null {
  const advice = plain(supervisorRecommendation ?? '');
  if (advice === '') return null;
  const named = options
    .map(({ key, label }) => ({ key, names: [plain(key), plain(label)].filter(Boolean) }))
    .filter(({ names }) => names.length > 0);
  const only = (fits: (name: string) => boolean) => {
    const found = named.filter(({ names }) => names.some(fits));
    return found.length === 1 ? found[0]?.key : undefined;
  };
  const within = ` ${advice} `;
  return (
    only((name) => name === advice) ??
    only((name) => within.startsWith(` ${name} `)) ??
    only((name) => within.includes(` ${name} `)) ??
    null
  );
}

/** True for what must be asked about once more: the question is critical, or what is chosen is beyond undoing. */
export const isGrave = ({ urgencyId, situation }: Told, option: Option | null): boolean =>
  urgencyId === 'Critical' || (option?.irreversible ?? false) || beyondUndoing.test(situation);

// Souls of identities as they are answered.
import { z } from 'zod';
import { boolean, dateTime, dto, float, int32, int64, string } from '../../../contract/types.ts';

export const SoulSpecImport = dto('SoulSpecImport', {
  name: string,
  displayName: string,
  bio: string.nullable(),
  origin: string.nullable(),
  tone: string,
  traits: z.array(string),
  focusAreas: z.array(string),
  boundaries: z.array(string),
  greetingStyle: string,
  uncertaintyHandling: string,
  customInstructions: string.nullable(),
  systemPrompt: string.nullable(),
  temperature: float,
  maxIterations: int32,
  roleName: string.nullable(),
  emoji: string.nullable(),
  /** Ours. */
  proactiveSuggestions: boolean,
  /** Ours: what the text says that has no place in an identity: headings, settings, files. */
  notMapped: z.array(string),
});
export type SoulSpecImport = z.output<typeof SoulSpecImport>;

export const SoulReadingDto = dto('SoulReadingDto', {
  soul: SoulSpecImport,
  /** The same soul as one text, as `from-soul` takes it. */
  markdown: string,
});

export const SoulVersionDto = dto('SoulVersionDto', {
  id: int64,
  identityId: int64,
  /** Counts from 1. */
  number: int32,
  changedBy: string.nullable(),
  sizeBytes: int32,
  createdAtUtc: dateTime,
});
export type SoulVersionDto = z.output<typeof SoulVersionDto>;

export const SoulDiffDto = dto('SoulDiffDto', {
  identityId: int64,
  /** Null: nothing was there before. */
  fromNumber: int32.nullable(),
  toNumber: int32,
  /** Unified, as git shows it. */
  diff: string,
});

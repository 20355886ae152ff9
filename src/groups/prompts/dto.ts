// Prompts as they are answered.
import { z } from 'zod';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';

export const PromptVariableDto = dto('PromptVariableDto', {
  name: string,
  /** What may be filled in; empty where anything may. */
  choices: z.array(string),
  /** What stands where nothing is filled in; null where it must be filled. */
  default: string.nullable(),
});
export type PromptVariableDto = z.output<typeof PromptVariableDto>;

const common = {
  id: int64,
  guid: uuid,
  name: string,
  /** What is typed after `/`. */
  command: string,
  description: string.nullable(),
  tags: z.array(string),
  /** Everybody of the tenant may use it; else its owner alone knows of it. */
  isShared: boolean,
  variables: z.array(PromptVariableDto),
  /** Of its text; grows with each other text. */
  version: int32,
  useCount: int32,
  lastUsedAtUtc: dateTime.nullable(),
  createdByName: string,
  /** The prompt is the caller's own. */
  isOwn: boolean,
  /** The caller may change and delete it. */
  mayChange: boolean,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const PromptListDto = dto('PromptListDto', common);
export type PromptListDto = z.output<typeof PromptListDto>;

export const PromptDto = dto('PromptDto', { ...common, text: string });
export type PromptDto = z.output<typeof PromptDto>;

export const PromptVersionDto = dto('PromptVersionDto', {
  version: int32,
  text: string,
  writtenByName: string,
  writtenAtUtc: dateTime,
  isCurrent: boolean,
});
export type PromptVersionDto = z.output<typeof PromptVersionDto>;

/** A prompt's text with its variables filled in. */
export const PromptTextDto = dto('PromptTextDto', { promptId: int64, version: int32, text: string });
export type PromptTextDto = z.output<typeof PromptTextDto>;

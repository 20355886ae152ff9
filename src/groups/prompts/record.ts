// Prompts and the texts that they had, as they are kept.
import { type KeptDoc, record, type Stored } from '../../ports/record.ts';
import type { PromptDto } from './dto.ts';

export interface PromptDoc extends Stored<Omit<PromptDto, 'variables' | 'isOwn' | 'mayChange'>> {
  createdByUserId: number | null;
  createdByIdentityId: number | null;
  /** Its command with whose it is: others' own prompts hold nothing back. */
  commandKey: string;
  /** Who wrote its text, and when. */
  writtenByName: string;
  writtenAt: Date;
}

/** A text that a prompt had; it is kept before the prompt shows the next one. */
export interface PromptVersionDoc extends KeptDoc {
  promptId: number;
  version: number;
  text: string;
  writtenByName: string;
}

export const promptRecord = record<PromptDoc>('prompts', {
  noun: 'prompt',
  list: 'GET /api/prompts',
  order: 'name',
  staysSmall: true,
  search: ['name', 'command', 'description'],
  unique: 'commandKey',
  uniqueAs: 'command',
  indexes: [
    { keys: { tenantId: 1, commandKey: 1 }, unique: true },
    { keys: { tenantId: 1, name: 1 } },
    { keys: { tenantId: 1, command: 1 } },
  ],
});

export const promptVersionRecord = record<PromptVersionDoc>('prompt_versions', {
  noun: 'version',
  list: 'GET /api/prompts/{id}/versions',
  order: '-version',
  lacks: ['guid', 'updatedAt'],
  indexes: [{ keys: { tenantId: 1, promptId: 1, version: 1 }, unique: true }],
});

// Ours: saved prompts with variables, which people and programs begin messages and goals with.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int32, string } from '../../contract/types.ts';
import { PromptDto, PromptListDto, PromptTextDto, PromptVersionDto } from './dto.ts';

const read = 'ChatRead';
const write = 'ChatWrite';
export const longestCommand = 50;
/** Characters of a text, and of what is filled in for a variable. */
const longest = 20_000;
const tag = string.trim().min(1).max(100);
/** What people write of a prompt. */
export const promptFields = {
  name: string.trim().min(1).max(200),
  command: string
    .max(longestCommand)
    .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be lower-case letters, digits, - and _, such as weekly-report'),
  text: string.min(1).max(longest),
  description: string.max(2000),
  tags: z.array(tag).max(20),
};
const { name, command, text, description, tags } = promptFields;

export const prompts = group(
  'Prompt',
  {
    id: 'Prompts',
    base: '/api/prompts',
    doc: 'Saved prompts: one’s own, and those that are shared with everybody of the tenant. Operations of ours.',
  },
  {
    ...crud({
      noun: 'prompt',
      dto: PromptDto,
      item: PromptListDto,
      read,
      write,
      sorts: ['name', 'command', 'useCount', 'createdAtUtc', 'updatedAtUtc', 'id'],
      filters: {
        q: string.max(200).optional(),
        tag: tag.optional(),
        command: string.max(longestCommand).optional(),
        isShared: boolean.optional(),
      },
      create: {
        name,
        command,
        text,
        description: description.nullish(),
        tags: tags.nullish(),
        isShared: boolean.nullish(),
      },
      patch: {
        name: name.optional(),
        command: command.optional(),
        text: text.optional(),
        description: description.nullish(),
        tags: tags.optional(),
        isShared: boolean.optional(),
        version: int32.min(1).nullish(),
      },
      docs: {
        list: 'Ours: list your own prompts and those that are shared, by name.',
        create:
          'Ours: save a prompt. In its text {{topic}} is a variable, {{tone:friendly}} one with a default, {{tone:friendly|formal}} one with choices, the first of which is its default; other text in braces is text. A command is held once among your own prompts, and once among the shared ones.',
        get: 'Ours: get one prompt with its text.',
        patch:
          'Ours: change a prompt; another text makes a version, and the former one is kept. With version: only if it is still that one. A shared prompt is changed by its owner and by who may change users.',
        remove: 'Ours: delete a prompt with its versions.',
      },
    }),
    use: op.post('/{id}/use', {
      doc: 'Ours: the text of a prompt with its variables filled in; what is not given takes its default. Values are put in as they are. Counts the use.',
      needs: read,
      audit: false,
      body: fields({ values: z.record(string.max(50), string.max(longest)).optional() }).optional(),
      data: PromptTextDto,
    }),
    versions: op.get('/{id}/versions', {
      doc: 'Ours: the texts that a prompt has had, the newest hundred, newest first.',
      needs: read,
      data: z.array(PromptVersionDto),
    }),
    restore: op.post('/{id}/versions/{version}/restore', {
      doc: 'Ours: make the text of an old version current, as a new version.',
      needs: write,
      data: PromptDto,
    }),
  },
);

// Which prompts fit what is typed, and where a command is typed at all.
import { expect, it } from 'vitest';
import type { PromptListDto } from '../../client/index.ts';
import { commandAt, fitting } from './prompts.ts';

const prompt = (command: string, name: string, tags: string[] = []) =>
  ({ command, name, tags, description: null }) as unknown as PromptListDto;

it('finds prompts by all that is known of them, commands that begin so first', () => {
  const all = [prompt('weekly', 'Report of the week'), prompt('note', 'A note', ['news']), prompt('report', 'Any')];
  const commands = (q: string) => fitting(all, q).map(({ command }) => command);
  expect(commands('')).toEqual(['weekly', 'note', 'report']);
  expect(commands('REP')).toEqual(['report', 'weekly']);
  expect(commands('news')).toEqual(['note']);
  expect(commands('week any')).toEqual([]);
});

it('sees a command at the beginning of a line, up to the caret', () => {
  expect(commandAt('/re', 3)).toEqual({ q: 're', at: 0 });
  expect(commandAt('/report now', 3)).toEqual({ q: 're', at: 0 });
  expect(commandAt('Hello\n/', 7)).toEqual({ q: '', at: 6 });
  for (const text of ['', 'a/b', 'see /etc', '/etc/hosts', '/two words'])
    expect(commandAt(text, text.length)).toBeNull();
});

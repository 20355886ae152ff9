// Saved prompts for those who write: all that the reader may use, and the ones that fit what is typed.
import type { Client, PromptListDto } from '../../client/index.ts';

/** The largest page of a list. */
const pageSize = 200;

/** All prompts that the reader may use, the most used first. */
export async function allPrompts({ prompts }: Pick<Client, 'prompts'>, signal: AbortSignal): Promise<PromptListDto[]> {
  const all: PromptListDto[] = [];
  for (let page = 1; ; page++) {
    const found = await prompts.list({ query: { page, pageSize, sort: '-useCount' }, signal });
    all.push(...found.items);
    if (!found.hasNextPage) return all;
  }
}

/** The prompts that have every word of `q`; those whose command begins with it come first. */
export function fitting(all: readonly PromptListDto[], q: string): PromptListDto[] {
  const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(({ name, command, description, tags }) => {
    const text = `/${command} ${name} ${description ?? ''} ${tags.join(' ')}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const begins = ({ command }: PromptListDto) => Number(command.startsWith(q.toLowerCase()));
  return found.sort((a, b) => begins(b) - begins(a));
}

/** A command that is being typed at the beginning of a line. */
export interface TypedCommand {
  /** What stands after the `/`. */
  q: string;
  /** Where the `/` stands. */
  at: number;
}

export function commandAt(text: string, caret: number): TypedCommand | null {
  const found = /(?:^|\n)\/([a-z0-9_-]*)$/i.exec(text.slice(0, caret));
  return found ? { q: found[1] ?? '', at: caret - (found[1] ?? '').length - 1 } : null;
}

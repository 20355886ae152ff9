// The prompts of the MCP server: those of the library that the caller may use, each by its command.
import type { z } from 'zod';
import { isPermitted } from '../../auth/permit.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Page } from '../../contract/page.ts';
import { prompts as library } from '../../groups/prompts/contract.ts';
import type { PromptListDto, PromptTextDto, PromptVariableDto } from '../../groups/prompts/dto.ts';
import { type Calls, type Principal, wrongParams } from './calls.ts';

type Values = z.input<NonNullable<typeof library.operations.use.body>>;
type Context = { principal: Principal; signal: AbortSignal };

const pageSize = 200;

export function createPromptBook(calls: Pick<Calls, 'read'>) {
  /** All that match; a private prompt hides a shared one of its command, since names are unique here. */
  async function find(context: Context, narrowed: Record<string, string> = {}): Promise<PromptListDto[]> {
    const found = new Map<string, PromptListDto>();
    for (let page = 1; ; page++) {
      const query = new URLSearchParams({ ...narrowed, page: `${page}`, pageSize: `${pageSize}`, sort: 'command' });
      const request = { method: 'GET', path: library.base, query: query.toString() };
      const { items, hasNextPage } = (await calls.read(request, context)) as Page<PromptListDto>;
      for (const one of items) if (!one.isShared || !found.has(one.command)) found.set(one.command, one);
      if (!hasNextPage) return [...found.values()];
    }
  }
  return {
    list: async (context: Context) => (mayRead(context.principal.caller) ? (await find(context)).map(shown) : []),
    /** @throws an error of JSON-RPC, which says what is wrong or missing */
    get: async (name: string, values: Readonly<Record<string, string>>, context: Context) => {
      const [prompt] = mayRead(context.principal.caller) ? await find(context, { command: name.slice(0, 50) }) : [];
      if (prompt?.command !== name)
        throw wrongParams(`There is no prompt ${name.slice(0, 100)}; prompts/list names them.`);
      const body: Values = { values: { ...values } };
      const path = `${library.base}/${prompt.id}/use`;
      const { text } = (await calls.read(
        { method: 'POST', path, query: '', body: JSON.stringify(body) },
        context,
      )) as PromptTextDto;
      const content = { type: 'text' as const, text };
      return { description: prompt.description ?? prompt.name, messages: [{ role: 'user' as const, content }] };
    },
  };
}

const mayRead = (caller: Caller) => isPermitted(library.operations.list, caller);

const shown = ({ command, name, description, variables }: PromptListDto) => ({
  ...{ name: command, title: name, description: description ?? name },
  arguments: variables.map((one) => ({
    name: one.name,
    required: one.default === null,
    ...describe(one),
  })),
});

function describe({ choices, default: usual }: PromptVariableDto): { description?: string } {
  if (choices.length > 0) return { description: `One of ${choices.join(', ')}; ${usual} unless given.` };
  return usual === null ? {} : { description: `${usual} unless given.` };
}

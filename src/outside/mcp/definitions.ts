// Definitions of tools as servers give them: what is too large or badly named is left out, and each is known by a digest.
import { createHash } from 'node:crypto';
import type { ToolRisk } from '../../contract/enums.ts';

/** A tool as its server describes it; pinned by the digest of exactly these fields. */
export interface Definition {
  name: string;
  title: string | null;
  description: string | null;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown> | null;
  annotations: Hints;
}

/** What a server says of a tool; it may lie. */
export interface Hints {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

const mostTools = 500;
/** Characters of one definition. */
const mostChars = 64_000;
const names = /^[\w.-]{1,128}$/;

interface Given {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: object;
  outputSchema?: object | undefined;
  annotations?: object | undefined;
}

/** Definitions by name, of two with one name the first. */
export function definitionsOf(tools: readonly Given[]): Definition[] {
  const found = new Map<string, Definition>();
  for (const tool of tools.slice(0, mostTools)) {
    if (!names.test(tool.name) || found.has(tool.name)) continue;
    const definition = definitionOf(tool);
    if (textOf(definition).length <= mostChars) found.set(tool.name, definition);
  }
  return [...found.values()];
}

function definitionOf({ name, title, description, inputSchema, outputSchema, annotations = {} }: Given): Definition {
  const hints = annotations as Record<string, unknown>;
  const said = (hint: keyof Hints) => (typeof hints[hint] === 'boolean' ? { [hint]: hints[hint] } : {});
  return {
    name,
    title: title ?? null,
    description: description ?? null,
    inputSchema: inputSchema as Record<string, unknown>,
    outputSchema: (outputSchema as Record<string, unknown> | undefined) ?? null,
    annotations: {
      ...said('readOnlyHint'),
      ...said('destructiveHint'),
      ...said('idempotentHint'),
      ...said('openWorldHint'),
    },
  };
}

/** What a server says of its tool was accepted with it; what it does not say counts as the worst, as MCP has it. */
export const riskOf = ({
  annotations: { readOnlyHint, destructiveHint },
}: Pick<Definition, 'annotations'>): ToolRisk =>
  readOnlyHint ? 'Safe' : destructiveHint === false ? 'Moderate' : 'Dangerous';

/** The definition as text, in one form whatever the order of its fields. */
export const textOf = (definition: Definition, indent?: number): string =>
  JSON.stringify(sorted(definition), null, indent);

/** SHA-256 of that text, hex. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

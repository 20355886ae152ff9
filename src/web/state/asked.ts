// What an MCP server asks of a person, as a page draws it, and what was filled in as the answer.
import type { AgentEscalationDto } from '../../client/index.ts';

export interface AskedField {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  format?: string;
  choices?: string[];
  /** What the choices are called, in their order. */
  labels?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export interface Asked {
  server: string;
  tool: string;
  message: string;
  /** Why the answer before did not fit. */
  problem?: string;
  /** An address to open, in place of a form. */
  url?: string;
  fields?: Record<string, AskedField>;
  required?: string[];
}

/** Null for what is asked in words alone. */
export function askedOf({ formJson }: Pick<AgentEscalationDto, 'formJson'>): Asked | null {
  try {
    const asked = JSON.parse(formJson ?? 'null') as Asked | null;
    return asked?.url || asked?.fields ? asked : null;
  } catch {
    return null;
  }
}

/** What was filled in, by the names of fields; a field that nobody has touched has none. */
export type Filled = Readonly<Record<string, string | boolean | string[]>>;

/** What a field shows: what was filled in, else what its server expects. */
export function shownIn(
  name: string,
  { type, default: usual }: AskedField,
  filled: Filled,
): string | boolean | string[] {
  const own = filled[name];
  if (own !== undefined) return own;
  if (type === 'boolean') return usual === true;
  if (type === 'array') return Array.isArray(usual) ? usual.map(String) : [];
  return usual === undefined || usual === null ? '' : String(usual);
}

/** The answer as JSON. What may be left out and says nothing is left out. */
export function answerOf({ fields = {}, required = [] }: Asked, filled: Filled): string {
  const said = Object.entries(fields).flatMap(([name, field]) => {
    const value = shownIn(name, field, filled);
    const isUntouched = filled[name] === undefined && !required.includes(name);
    const saysNothing = value === false || (Array.isArray(value) && value.length === 0);
    return value === '' || (isUntouched && saysNothing) ? [] : [[name, sentAs(field, value)] as const];
  });
  return JSON.stringify(Object.fromEntries(said));
}

const sentAs = ({ type }: AskedField, value: string | boolean | string[]): unknown => {
  if (type === 'array' && typeof value === 'string') return value.split(',').map((one) => one.trim());
  return (type === 'number' || type === 'integer') && typeof value === 'string' ? Number(value) : value;
};

// Whether an answer is one that the OpenAPI document tells of: its status, and the type of its content.
import { expect } from 'vitest';
import { buildOpenApi } from '../../src/contract/openapi/document.ts';
import type { Group } from '../../src/contract/operation.ts';
import { groups } from '../../src/groups/index.ts';

interface Declared {
  $ref?: string;
  content?: Record<string, unknown>;
}
// biome-ignore lint/suspicious/noExplicitAny: a document is looked into as JSON
const document: any = buildOpenApi(Object.values(groups as Record<string, Group>), { version: '1' });
const shapeOf = (template: string) => template.replaceAll(/\{\w+\}/g, '{}');
const paths = new Map(Object.entries(document.paths).map(([template, path]) => [shapeOf(template), path]));

/** @throws AssertionError where a client that was made of the document would not know what it is given */
export function expectDeclared(method: string, template: string, { status, headers }: Response): void {
  // biome-ignore lint/suspicious/noExplicitAny: a document is looked into as JSON
  const responses: Record<string, Declared> = (paths.get(shapeOf(template)) as any)[method.toLowerCase()].responses;
  const found =
    responses[status] ?? (status < 400 ? undefined : (responses[`${`${status}`[0]}XX`] ?? responses.default));
  expect([method, template, status, found && 'declared']).toEqual([method, template, status, 'declared']);
  const { content } = found?.$ref ? document.components.responses[found.$ref.split('/').at(-1) ?? ''] : found;
  const type = headers.get('content-type')?.split(';')[0];
  if (content === undefined && type === undefined) return;
  const types = Object.keys(content ?? {});
  expect([template, type, types.includes('*/*') || types.includes(type ?? '')]).toEqual([template, type, true]);
}

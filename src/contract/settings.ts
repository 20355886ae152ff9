// Declares the two operations of settings that each owner has once: get, with defaults until they are set, and replace.
import type { z } from 'zod';
import type { Permission } from './enums.ts';
import { op } from './operation.ts';
import { fields } from './types.ts';

/**
 * The operations of settings at one path. Their handlers are `keptSettings` (groups/kept-settings.ts); a group with
 * several of them names each.
 *
 * @example ...named('MemoryConfig', settings({ noun: 'memory configuration', at: '/{identityId}/memory-config', … }))
 */
export function settings<Dto extends z.ZodType, const At extends string, Fields extends z.ZodRawShape>(spec: {
  /** Noun of the settings, e.g. `memory configuration`. */
  noun: string;
  /** Path below the group's base. */
  at: At;
  dto: Dto;
  read: Permission;
  write: Permission;
  /** What may be set; a field that is left out goes back to its default. */
  fields: Fields;
  /** Sentences for the documentation where the plain ones do not say enough. */
  docs?: Partial<Record<'get' | 'replace', string>>;
}) {
  const { noun, at, dto, read, write, docs = {} } = spec;
  return {
    get: op.get(at, { doc: docs.get ?? `Get the ${noun}.`, needs: read, data: dto }),
    replace: op.put(at, {
      doc: docs.replace ?? `Replace the ${noun}.`,
      needs: write,
      body: fields(spec.fields),
      data: dto,
    }),
  };
}

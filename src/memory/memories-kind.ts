// The kind of memories, for their indexes.
import type { Kind } from './kinds.ts';
import { memoryKind, type Remembered } from './ports.ts';
import { scopesOf } from './scopes.ts';
import { indexedText } from './text.ts';

export const memoriesKind = { name: memoryKind, textOf: indexedText, scopesOf } satisfies Kind<Remembered>;

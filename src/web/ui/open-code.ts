// What a page does with a block of code beside showing it; most do nothing.
import { createContext } from 'react';
import type { Code } from '../../markdown/nodes.ts';

/** Opens a block beside the text that it is in; null for one that is not worth it. */
export type OpenCode = (code: Code) => (() => void) | null;

export const OpenCodeContext = createContext<OpenCode>(() => null);

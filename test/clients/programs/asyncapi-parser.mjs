// AsyncAPI's own parser.
import { readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';
import { serve } from './flows.mjs';

await serve({
  async parse({ file }) {
    const { document, diagnostics } = await new Parser().parse(await readFile(file, 'utf8'));
    const errors = diagnostics.filter(({ severity }) => severity === 0).map(({ message, path }) => [path, message]);
    return { errors, channels: document?.allChannels().length, messages: document?.allMessages().length };
  },
});

// Prompts as a part of the server.
import { createKeeper } from '../../ports/keeper.ts';
import { part, sampleOf } from '../part.ts';
import { prompts } from './contract.ts';
import { promptRecord, promptVersionRecord } from './record.ts';
import { promptsService } from './service.ts';

export const promptsPart = part({
  records: [promptRecord, promptVersionRecord],
  contracts: [prompts],
  serve: (base) => [
    promptsService({
      prompts: createKeeper(promptRecord, base),
      versions: createKeeper(promptVersionRecord, base),
      ids: base.ids,
      clock: base.clock,
    }),
  ],
  samples: [
    sampleOf(
      prompts,
      (name) => {
        const command = name
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .slice(-50)
          .replace(/^-+/, '');
        return { name, command, text: `About {{topic}}: ${name}` };
      },
      { patch: ({ name }) => ({ text: `${name} again` }), use: () => ({ values: { topic: 'rivers' } }) },
    ),
  ],
});

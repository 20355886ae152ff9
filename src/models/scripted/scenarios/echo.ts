// Says back what it was told: the smallest scenario, for trying out clients.
import type { ScenarioInput } from '../scenario.ts';

export const echo: ScenarioInput = {
  description: 'Repeats the last message.',
  chunkSize: 8,
  turns: [{ text: 'You said: {{last}}' }],
};

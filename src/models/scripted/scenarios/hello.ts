// What answers while no model is configured: a greeting that says so, to runs and chats alike.
import type { ScenarioInput } from '../scenario.ts';

const settings = 'OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENAI_BASE_URL';
const connect = `Connect a model on the page Models of the dashboard, or set ${settings} and start the server again.`;

export const hello: ScenarioInput = {
  description: 'Greets and ends: the default while no model is configured.',
  chunkSize: 6,
  chunkDelayMs: 15,
  turns: [
    {
      text: 'Hello! No model is configured yet, so this greeting was written beforehand.',
      toolCalls: [{ name: 'run_complete', arguments: { summary: `Hello! No language model was asked. ${connect}` } }],
    },
    {
      text: `Hello! I am the scripted provider, and I have no language model to ask. You said: "{{last}}"\n\n${connect} Until then I can show you how an answer streams, how it goes on when you close the page, and how it is there when you come back.`,
    },
  ],
};

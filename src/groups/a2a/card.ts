// The agent card of a published bot: who it is, where it is reached, and how to sign in.
import type { AgentCard } from '@a2a-js/sdk';
import type { BotProfileDoc } from '../bot-profiles/record.ts';
import { plainAnswerExtension } from './plain-answers.ts';
import { inputModes } from './words.ts';

export const protocolVersion = '1.0';
/** Where the agent of a bot is. */
export const agentPath = (guid: string): string => `/a2a/${guid}`;

type Shown = Pick<BotProfileDoc, 'guid' | 'displayName' | 'tagline' | 'greeting' | 'avatarUrl' | 'suggestedPrompts'>;

/** @param at where the server is, without a trailing slash */
export function cardOf(bot: Shown, { at, version }: { at: string; version: string }): AgentCard {
  const { guid, displayName, tagline, greeting, avatarUrl, suggestedPrompts } = bot;
  const url = at + agentPath(guid);
  const description = tagline ?? greeting ?? `${displayName}, an agent on Rivulet.`;
  const offers = (protocolBinding: string) => ({ url, protocolBinding, protocolVersion, tenant: '' });
  return {
    name: displayName,
    description,
    version,
    supportedInterfaces: [offers('JSONRPC'), offers('HTTP+JSON')],
    provider: { organization: 'Rivulet', url: at },
    documentationUrl: `${at}/bots/${guid}`,
    ...(avatarUrl !== null && { iconUrl: avatarUrl }),
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: false,
      extensions: [plainAnswerExtension],
    },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { scheme: 'Bearer', bearerFormat: '', description: 'A key or an access token of this server.' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: inputModes,
    defaultOutputModes: inputModes,
    skills: [
      {
        id: 'work',
        name: displayName,
        description,
        tags: ['agent'],
        examples: [...suggestedPrompts],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}

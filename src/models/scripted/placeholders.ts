// Fills `{{…}}` in scenario texts from the conversation: what the user said and what tools answered.
import type { ModelMessage } from '../../../runtime/model.ts';

const placeholder = /\{\{([^{}]+)\}\}/g;

/**
 * Replaces placeholders in every string of a value. A string that is one placeholder takes the value's type.
 *
 * `{{user}}` first user message, `{{last}}` latest one, `{{turn}}` number of answers so far,
 * `{{tool.NAME}}` latest result of a tool, `{{tool.NAME.0.runId}}` field of its first result (results are counted from 0;
 * without a number the latest), where results are JSON. `{{pace}}` is what a model's name ends with for the speed at
 * which this one is played: `@2`, or nothing.
 */
export function fill(value: unknown, messages: ModelMessage[], pace = ''): unknown {
  if (typeof value === 'string') return fillText(value, messages, pace);
  if (Array.isArray(value)) return value.map((item) => fill(item, messages, pace));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, messages, pace)]));
  }
  return value;
}

function fillText(text: string, messages: ModelMessage[], pace: string): unknown {
  const whole = /^\{\{([^{}]+)\}\}$/.exec(text);
  if (whole?.[1]) return lookUp(whole[1].trim(), messages, pace) ?? '';
  return text.replace(placeholder, (_, path: string) => {
    const found = lookUp(path.trim(), messages, pace) ?? '';
    return typeof found === 'string' ? found : JSON.stringify(found);
  });
}

function lookUp(path: string, messages: ModelMessage[], pace: string): unknown {
  const [head, ...rest] = path.split('.');
  const users = messages.filter((message) => message.role === 'user').map(({ content }) => plain(content));
  switch (head) {
    case 'user':
      return users[0];
    case 'last':
      return users.at(-1);
    case 'turn':
      return messages.filter(({ role }) => role === 'assistant').length;
    case 'pace':
      return pace;
    case 'tool':
      return toolResult(rest, messages);
    default:
      return undefined;
  }
}

function toolResult([name, ...path]: string[], messages: ModelMessage[]): unknown {
  const results = messages.flatMap((message) =>
    message.role === 'tool' && message.toolName === name ? [message.content] : [],
  );
  const numbered = path[0] !== undefined && /^\d+$/.test(path[0]);
  const text = numbered ? results[Number(path[0])] : results.at(-1);
  const keys = numbered ? path.slice(1) : path;
  if (text === undefined || keys.length === 0) return text;
  try {
    return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], JSON.parse(text));
  } catch {
    return undefined;
  }
}

const plain = (content: string | { type: string; text?: string }[]): string =>
  typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');

// Tries a prompt on one model: its words as they come, then all that is known of the call.
import { type AIPlaygroundResultDto, type ChatStreamEventDto, readSse } from '../../client/index.ts';
import { client } from './app.ts';
import { toApiError } from './resource.ts';

export interface Prompt {
  system: string;
  message: string;
}

export interface Trial {
  text: string;
  reasoning: string;
  /** Null until it has ended well. */
  result: AIPlaygroundResultDto | null;
  error: string | null;
}

export const untried: Trial = { text: '', reasoning: '', result: null, error: null };

type Step = Pick<ChatStreamEventDto, 'type' | 'delta' | 'error'>;

function advance(trial: Trial, { type, delta, error }: Step): Trial {
  if (type === 'ContentDelta') return { ...trial, text: trial.text + (delta ?? '') };
  if (type === 'ReasoningDelta') return { ...trial, reasoning: trial.reasoning + (delta ?? '') };
  return type === 'Error' ? { ...trial, error } : trial;
}

/** Calls `onChange` with each state of the trial; resolves when it has ended, well or not. An empty `modelId` is routed. */
export async function tryOut(
  modelId: string,
  { system, message }: Prompt,
  signal: AbortSignal,
  onChange: (trial: Trial) => void,
): Promise<void> {
  let trial = untried;
  const become = (next: Trial) => {
    trial = next;
    if (!signal.aborted) onChange(next);
  };
  become(untried);
  try {
    const body = {
      messages: [{ role: 'user' as const, content: message }],
      ...(system ? { systemPrompt: system } : {}),
      ...(modelId ? { modelId } : {}),
    };
    const response = await client.aiPlayground.stream({ body, signal, headers: { accept: 'text/event-stream' } });
    for await (const { event, data } of readSse(response)) {
      const told: unknown = JSON.parse(data);
      become(
        event === 'Completed'
          ? { ...trial, result: told as AIPlaygroundResultDto }
          : advance(trial, told as ChatStreamEventDto),
      );
    }
    if (!trial.result && !trial.error) become({ ...trial, error: 'The stream ended early.' });
  } catch (error) {
    const { message: why, hint } = toApiError(error);
    become({ ...trial, error: [why, hint].filter(Boolean).join(' ') });
  }
}

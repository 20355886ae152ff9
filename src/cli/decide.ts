// Puts a run's question to the person at the terminal. Where there is none it is left to others, but for the demo,
// which takes the recommendation and says so.
import { createInterface } from 'node:readline/promises';
import { ApiError, type Client } from '../client/index.ts';
import type { Terminal } from './terminal.ts';

/** Answers the open escalations of a run; one that is answered elsewhere meanwhile is skipped. */
export async function decide(
  client: Client,
  runId: number,
  terminal: Terminal,
  { alone }: { alone: 'recommendation' | 'wait' },
): Promise<void> {
  const { items } = await client.agentEscalations.list({ query: { runId, openOnly: true } });
  for (const escalation of items) {
    const options = optionsOf(escalation.optionsJson);
    const preferred = escalation.supervisorRecommendation ?? options[0] ?? 'proceed';
    terminal.endStream();
    terminal.line(`? ${escalation.situation}`);
    options.forEach((option, index) => {
      terminal.line(`  ${index + 1}. ${option}`);
    });
    const asked = await ask(options, preferred);
    if (asked === null && alone === 'wait') {
      terminal.line('! the run waits until somebody decides, in the dashboard or at a terminal');
      continue;
    }
    const decision = asked ?? preferred;
    try {
      await client.agentEscalations.resolve({ params: { id: escalation.id }, body: { decision } });
      terminal.line(
        `! ${decision}${process.stdin.isTTY ? '' : ' (nobody is at the terminal: the recommendation was taken)'}`,
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      terminal.line('! answered elsewhere');
    }
  }
}

async function ask(options: string[], preferred: string): Promise<string | null> {
  if (!process.stdin.isTTY) return null;
  const input = createInterface({ input: process.stdin, output: process.stdout });
  const answer = (await input.question(`  Your decision [${preferred}]: `)).trim();
  input.close();
  return options[Number(answer) - 1] ?? (answer || null);
}

/** Options are texts, or objects with a label. */
function optionsOf(json: string | null): string[] {
  if (json === null) return [];
  const parsed: unknown = JSON.parse(json);
  if (!Array.isArray(parsed)) return [];
  return parsed.map((option: unknown) =>
    typeof option === 'object' && option !== null && 'label' in option ? String(option.label) : String(option),
  );
}

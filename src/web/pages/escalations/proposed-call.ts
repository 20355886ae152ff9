// The tool call that an approval is about: the run's log or the chat's message holds its arguments.
import type { AgentEscalationDto } from '../../../client/index.ts';
import { payloadOf } from '../../river/track.ts';
import { client } from '../../state/app.ts';
import { type Resource, useResource } from '../../state/resource.ts';

export interface ProposedCall {
  name: string;
  /** Laid out to be read and edited. */
  args: string;
}

export const isBreakpoint = (escalation: AgentEscalationDto) => escalation.kind === 'breakpoint';

/** Whether a call waits for its decision, by policy or at a breakpoint. */
export const isApproval = (escalation: AgentEscalationDto) =>
  escalation.kind === 'toolApproval' || isBreakpoint(escalation);

export function layOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** The escalation may be known a moment before the event of its tool call. */
const tries = 20;
const retryMs = 250;

async function ofRun(escalation: AgentEscalationDto): Promise<ProposedCall | null> {
  const { runId } = escalation;
  if (runId === null) return null;
  for (let attempt = 0; attempt < tries; attempt++) {
    const asked = await client.agentRuns.events({
      params: { runId },
      query: { types: ['ToolApprovalRequested'], order: 'Descending', limit: 100 },
    });
    const event = asked.find((one) => payloadOf(one).escalationId === escalation.id);
    if (event) {
      const { argumentsJson } = payloadOf(event);
      return { name: event.toolName ?? '', args: layOut(typeof argumentsJson === 'string' ? argumentsJson : '{}') };
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  return null;
}

async function ofChat(escalation: AgentEscalationDto, id: number): Promise<ProposedCall | null> {
  const { messages } = await client.chat.get({ params: { id } });
  const calls = messages.flatMap((message) => message.toolCalls ?? []);
  const call = calls.find((one) => one.escalationId === escalation.id);
  return call ? { name: call.name, args: layOut(call.argumentsJson) } : null;
}

/** Null for a call that is not kept any more. */
export function useProposedCall(escalation: AgentEscalationDto): Resource<{ call: ProposedCall | null }> {
  const { id, revisionRoundsUsed, status, chatSessionId } = escalation;
  const key = isApproval(escalation) ? `call ${id} ${revisionRoundsUsed} ${status}` : null;
  return useResource(key, async () => ({
    call: await (chatSessionId === null ? ofRun(escalation) : ofChat(escalation, chatSessionId)),
  }));
}

// Every group of operations that the server offers, by the name that the client uses.
import { agentNotes } from './agent/notes/contract.ts';
import { agentRuns } from './agent/runs/contract.ts';
import { agentTools } from './agent/tools/contract.ts';
import { auth } from './auth/contract.ts';
import { identities, identityKeys } from './identities/contract.ts';
import { events, webSocket } from './realtime/contract.ts';
import { system } from './system/contract.ts';

export const groups = { auth, agentRuns, agentNotes, agentTools, events, identities, identityKeys, system, webSocket };
export type Groups = typeof groups;

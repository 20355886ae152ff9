// The scenes that the demo can play: what each run is asked for, and which script answers it.
import type { DemoScenario } from '../../contract/enums.ts';

export interface Scene {
  goal: string;
  /** Name of its script at the scripted provider. */
  script: string;
  maxIterations?: number;
  poolIterationBudget?: number;
}

/** The run that shows everything at once: a new server starts with it. */
export const tour: Scene = { goal: 'Demo: show what a run looks like', script: 'demo' };

export const scenes: Record<DemoScenario, Scene> = {
  SingleRun: { goal: 'Demo: answer a question in one run', script: 'demo-single' },
  SpawnTree: { goal: 'Demo: survey the river with a tree of runs', script: 'demo-tree' },
  Escalation: { goal: 'Demo: have a person decide between two ways', script: 'demo-escalation' },
  Council: { goal: 'Demo: let a council decide on the day of the release', script: 'demo-council' },
  BudgetExhaustion: {
    goal: 'Demo: look at everything, until the budget is used up',
    script: 'demo-endless',
    maxIterations: 4,
    poolIterationBudget: 4,
  },
  ProviderFallback: { goal: 'Demo: go on while a provider is down', script: 'demo-down' },
  RoutineWake: { goal: 'Demo: see what has changed since the last time', script: 'demo-wake' },
  Chat: { goal: 'Demo: be talked with while at work', script: 'demo-single' },
};

/** The name at the provider of a script that is played at a speed: it says all there is to know. */
export const nameAt = (script: string, speed: number): string => (speed === 1 ? script : `${script}@${speed}`);

export const modelAt = (script: string, speed: number): string => `scripted:${nameAt(script, speed)}`;

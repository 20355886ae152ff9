// A made-up tree of runs with everything a river can show, for looking at the dashboard without a server.
import type {
  AgentEscalationDto,
  AgentEventDto,
  AgentEventType,
  AgentRunDto,
  AgentRunStatus,
} from '../../client/index.ts';

export interface Story {
  runs: Map<number, AgentRunDto>;
  events: Map<number, AgentEventDto[]>;
  escalations: AgentEscalationDto[];
}

const roots = [
  ['Find out why nightly builds are slow and cut them below ten minutes', 'engineer', 'Completed'],
  ['Summarise this week’s support tickets by cause, with numbers', 'analyst', 'Running'],
  ['Draft the release notes of 2.4 from merged changes', 'writer', 'Failed'],
  ['Check every link in the documentation', 'worker', 'Cancelled'],
  ['Compare three vector stores on our data and recommend one', 'researcher', 'BudgetExhausted'],
  ['Translate the onboarding mails into German and French', 'writer', 'Queued'],
  ['Review the payment module for races', 'reviewer', 'Paused'],
] as const;

export function makeRun(
  id: number,
  goal: string,
  role: string,
  status: AgentRunStatus,
  more: Partial<AgentRunDto> = {},
): AgentRunDto {
  const created = new Date(Date.now() - 400_000 - id * 1000).toISOString();
  return {
    id,
    guid: crypto.randomUUID(),
    projectId: null,
    taskId: null,
    taskTitle: null,
    identityId: 1,
    identityName: 'Administrator',
    role,
    toolProfileName: null,
    roleDefinitionId: 1,
    modelId: 'openai:gpt-5-mini',
    reasoningEffort: null,
    parentRunId: null,
    sandboxContainerId: 'rvt-sb-1',
    reviewBranch: 'rivulet/run-1',
    reviewBaseSha: null,
    reviewWorktreePath: null,
    spawnDepth: 0,
    goal,
    status,
    failureReason: status === 'Failed' ? 'contractNotMet' : null,
    startedAtUtc: created,
    completedAtUtc: ['Completed', 'Failed', 'Cancelled'].includes(status)
      ? new Date(Date.now() - 60_000).toISOString()
      : null,
    progressSummary: null,
    staleStepCount: 0,
    maxIterations: 50,
    maxTokens: 500_000,
    maxWallClockMs: 3_600_000,
    iterationsUsed: 12,
    tokensUsed: 184_220,
    contextBudgetTokens: 100_000,
    contextUsedTokens: 78_300,
    poolIterationBudget: 500,
    poolIterationsUsed: 61,
    poolTokenBudget: 2_000_000,
    poolTokensUsed: 612_004,
    treeDeadlineUtc: null,
    promptTokens: 150_000,
    completionTokens: 34_220,
    costUsd: 0.2841,
    totalTokensWithChildren: 612_004,
    totalCostWithChildren: 0.9127,
    outputPath: null,
    contractDeliverable: 'report.md',
    contractDestination: null,
    interactionThreadId: null,
    childRunCount: 0,
    eventCount: 0,
    createdAtUtc: created,
    ...more,
  };
}

type Teller = (type: AgentEventType, second: number, more?: Partial<AgentEventDto> & { payload?: unknown }) => void;

function teller(story: Story, run: AgentRunDto, rootRunId: number, start: number): Teller {
  const list: AgentEventDto[] = [];
  story.events.set(run.id, list);
  return (type, second, { payload, ...more } = {}) => {
    list.push({
      id: run.id * 10_000 + list.length,
      guid: '',
      runId: run.id,
      rootRunId,
      parentRunId: run.parentRunId,
      seq: list.length + 1,
      type,
      level: /Failed|Error/.test(type) ? 'Error' : /Warning/.test(type) ? 'Warning' : 'Information',
      iteration: 1,
      title: type,
      message: null,
      toolName: null,
      toolCallId: null,
      modelId: run.modelId,
      promptTokens: null,
      completionTokens: null,
      costUsd: null,
      durationMs: null,
      payloadJson: payload === undefined ? null : JSON.stringify(payload),
      createdAtUtc: new Date(start + second * 1000).toISOString(),
      ...more,
    });
    run.eventCount = list.length;
  };
}

let calls = 0;
function turn(tell: Teller, iteration: number, at: number, length: number, text: string) {
  tell('IterationStarted', at, { iteration });
  tell('ModelCallStarted', at, { iteration });
  tell('ModelCallCompleted', at + length, {
    iteration,
    message: text,
    promptTokens: 4200 + iteration * 900,
    completionTokens: Math.round(length * 60),
    costUsd: 0.011,
    durationMs: length * 1000,
    payload: {
      reasoning:
        'The build log shows three phases. The first one, dependency install, repeats for each package. That looks like the cache key includes the commit, so it never hits.',
    },
  });
}
function tool(tell: Teller, name: string, at: number, length: number, args: unknown, result: string, failed = false) {
  const toolCallId = `call_${++calls}`;
  tell('ToolCallStarted', at, {
    toolName: name,
    title: name,
    toolCallId,
    payload: { argumentsJson: JSON.stringify(args) },
  });
  tell(failed ? 'ToolCallFailed' : 'ToolCallCompleted', at + length, {
    toolName: name,
    title: name,
    toolCallId,
    message: result,
    durationMs: length * 1000,
  });
}

const findings = `The slow part is **dependency install**: 6 m 40 s of 14 m, in every job.

| job | install | build | test |
| --- | ---: | ---: | ---: |
| web | 132 s | 61 s | 88 s |
| api | 141 s | 44 s | 203 s |

1. The cache key holds the commit, so it never hits.
2. \`npm ci\` runs once a package instead of once a workspace.

\`\`\`yaml
- uses: cache
  with:
    key: deps-\${{ hashFiles('package-lock.json') }}
\`\`\``;

export function makeStory(): Story {
  const story: Story = { runs: new Map(), events: new Map(), escalations: [] };
  const start = Date.now() - 186_000;
  const add = (run: AgentRunDto) => {
    story.runs.set(run.id, run);
    return run;
  };
  const at = (second: number) => new Date(start + second * 1000).toISOString();
  const root = add(
    makeRun(1, 'Make the nightly build twice as fast and show that it is', 'lead', 'WaitingForDecision', {
      startedAtUtc: at(1),
      createdAtUtc: at(0),
      childRunCount: 3,
      progressSummary: 'Two causes found; asks whether the cache may be shared between branches.',
    }),
  );
  const tell = teller(story, root, 1, start);
  tell('RunCreated', 0, { message: root.goal });
  tell('RunStarted', 3);
  turn(
    tell,
    1,
    3,
    9,
    'I split this in three: measure where the time goes, look at how caching works today, and try a change in the sandbox.',
  );
  tool(tell, 'run_plan', 12, 0.6, { steps: ['Measure', 'Read the cache setup', 'Try a change'] }, 'Plan noted.');
  tell('PlanUpdated', 12.6, { title: 'Plan of 3 steps' });
  tell('ChildSpawned', 14, { title: 'Spawned run 2', payload: { childRunId: 2 } });
  tell('ChildSpawned', 15, { title: 'Spawned run 3', payload: { childRunId: 3 } });
  turn(tell, 2, 16, 12, 'While they work I read the pipeline definition.');
  tool(
    tell,
    'shell_exec',
    28,
    14,
    { command: 'git log --oneline -20 -- ci/', cwd: '.' },
    'a41f3c ci: split jobs\n90be12 ci: cache per commit\n',
  );
  tool(tell, 'file_read', 42, 1.2, { path: 'ci/pipeline.yml' }, 'jobs:\n  web:\n    cache: deps-$COMMIT\n');
  tell('CheckpointSaved', 44, { title: 'Checkpoint after turn 2' });
  turn(tell, 3, 45, 17, findings);
  tool(tell, 'http_fetch', 62, 5, { url: 'https://ci.example.com/api/builds' }, 'HTTP 403: forbidden', true);
  tell('ChildCompleted', 78, {
    title: 'Child run 2 Completed',
    message: 'Install takes 6 m 40 s of 14 m.',
    payload: { runId: 2, status: 'Completed' },
  });
  tell('RunRecovered', 96, { title: 'Taken over by another node', level: 'Warning' });
  turn(tell, 4, 98, 13, 'The cache key is the cause. I convene a council before I change what every branch shares.');
  tell('CouncilConvened', 112, { title: 'Council: share the cache between branches?' });
  for (const [name, vote] of [
    ['skeptic', 'per branch'],
    ['builder', 'shared'],
    ['security', 'shared, read-only'],
  ] as const) {
    tell('CouncilStatement', 114, {
      title: name,
      message: `As the ${name} I say: **${vote}**. A poisoned cache would reach every build, so writes must come from the main branch only.`,
      payload: { councilId: 1, round: 1, kind: 'Opening', participantName: name, vote },
    });
  }
  tell('CouncilConcluded', 128, { title: 'Consensus: shared, read-only' });
  tell('CheckpointSaved', 129, { title: 'Checkpoint after turn 4' });
  tell('BudgetWarning', 130, { title: '75 % of context used', payload: { budget: 'context', percent: 78 } });
  turn(tell, 5, 131, 8, 'Sharing a cache touches other teams, so I ask.');
  tell('EscalationRaised', 140, {
    title: 'May builds share one cache?',
    payload: { escalationId: 1, timeoutAtUtc: at(740) },
  });

  const two = add(
    makeRun(2, 'Measure where the time of the last 20 nightly builds went', 'analyst', 'Completed', {
      parentRunId: 1,
      spawnDepth: 1,
      tokensUsed: 91_000,
      createdAtUtc: at(15),
      startedAtUtc: at(15),
    }),
  );
  const tell2 = teller(story, two, 1, start);
  tell2('RunStarted', 15);
  turn(tell2, 1, 16, 14, 'I read the logs of twenty builds.');
  tool(
    tell2,
    'shell_exec',
    30,
    19,
    { command: 'python3 measure.py --builds 20' },
    'install 402 s ±11\nbuild 105 s ±4\ntest 331 s ±27\n',
  );
  turn(tell2, 2, 50, 16, findings);
  tool(tell2, 'file_write', 66, 2, { path: 'report.md', content: '# Where the time goes' }, 'Wrote 1.2 KiB.');
  tell2('RunCompleted', 76, { message: 'Install takes 6 m 40 s of 14 m.' });

  const three = add(
    makeRun(3, 'Find out how dependency caching works in each job', 'engineer', 'Running', {
      parentRunId: 1,
      spawnDepth: 1,
      tokensUsed: 143_000,
      createdAtUtc: at(17),
      startedAtUtc: at(17),
    }),
  );
  const tell3 = teller(story, three, 1, start);
  tell3('RunStarted', 17);
  turn(tell3, 1, 18, 20, 'Two jobs cache, four do not.');
  tool(
    tell3,
    'shell_exec',
    38,
    31,
    { command: 'for j in jobs/*; do grep -n cache $j; done' },
    'jobs/web.yml:12: cache: deps-$COMMIT',
  );
  tell3('ChildSpawned', 70, { title: 'Spawned run 4', payload: { childRunId: 4 } });
  turn(tell3, 2, 71, 26, 'I try the new key on one job.');
  tell3('RunPaused', 98, { title: 'Paused' });
  tell3('RunResumed', 112, { title: 'Resumed' });
  turn(tell3, 3, 113, 18, 'Second try, with the lock file’s hash.');
  tool(tell3, 'shell_exec', 131, 40, { command: 'npm ci --prefer-offline' }, 'added 1204 packages in 19s');
  tell3('ModelCallStarted', 172, { iteration: 4 });

  const four = add(
    makeRun(4, 'Build the web job twice in the sandbox and compare', 'worker', 'Failed', {
      parentRunId: 3,
      spawnDepth: 2,
      tokensUsed: 22_000,
      createdAtUtc: at(72),
      startedAtUtc: at(72),
      failureReason: 'toolError',
    }),
  );
  const tell4 = teller(story, four, 1, start);
  tell4('RunStarted', 72);
  turn(tell4, 1, 73, 9, 'I build once with a cold and once with a warm cache.');
  tool(tell4, 'shell_exec', 82, 24, { command: 'npm run build' }, 'error: ENOSPC: no space left on device', true);
  tell4('RunFailed', 108, { message: 'No space left in the workspace.' });

  story.escalations.push({
    id: 1,
    guid: crypto.randomUUID(),
    runId: 1,
    taskId: null,
    situation:
      'May builds of **all branches** share one dependency cache? It halves the build, but a poisoned cache would reach every branch.',
    optionsJson: JSON.stringify([
      { key: 'shared', label: 'Share it, read-only', description: 'Only main writes; others read.' },
      { key: 'branch', label: 'One cache a branch', description: 'Safer; saves 3 minutes instead of 6.' },
      { key: 'no', label: 'Leave it as it is' },
    ]),
    supervisorRecommendation: 'Share it, read-only: the council agreed, and only main can write.',
    confidence: 0.82,
    kind: 'decision',
    urgencyId: 'High',
    status: 'AwaitingHuman',
    resolutionMode: null,
    decision: null,
    decidedBy: null,
    decisionNotes: null,
    chatSessionId: null,
    approvalThreadId: null,
    revisionRoundsUsed: 0,
    maxRevisionRounds: 2,
    timeoutAtUtc: at(740),
    resolvedAtUtc: null,
    notificationState: 'Sent',
    notificationDetail: null,
    createdAtUtc: at(140),
  });
  story.escalations.push({
    ...(story.escalations[0] as AgentEscalationDto),
    id: 2,
    runId: 11,
    kind: 'toolApproval',
    urgencyId: 'Normal',
    situation: 'Run a command: it writes outside the workspace.',
    optionsJson: '["approve","reject"]',
    supervisorRecommendation: null,
    confidence: 0,
    timeoutAtUtc: null,
  });
  roots.forEach(([goal, role, status], index) => {
    const run = add(makeRun(10 + index, goal, role, status));
    const other = teller(story, run, run.id, start - 100_000 * index);
    other('RunStarted', 2);
    for (let i = 0; i < 6; i++) {
      turn(other, i + 1, 3 + i * 22, 8 + (i % 3) * 4, 'Step done.');
      tool(other, i % 2 ? 'shell_exec' : 'http_fetch', 12 + i * 22, 5 + i, { i }, 'ok', i === 4 && status === 'Failed');
    }
    const end = {
      Completed: 'RunCompleted',
      Failed: 'RunFailed',
      Cancelled: 'RunCancelled',
      BudgetExhausted: 'BudgetExhausted',
    }[status as string];
    if (run.id === 11)
      other('ToolApprovalRequested', 138, {
        toolName: 'shell_exec',
        payload: { escalationId: 2, argumentsJson: '{"command":"rm -rf build/","cwd":"/srv/app"}' },
      });
    if (end) other(end as AgentEventType, 140);
  });
  return story;
}

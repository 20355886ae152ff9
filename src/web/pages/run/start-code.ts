// Code that starts a run like this one, with a key for its reader to fill in.
import type { AgentRunDto } from '../../../client/index.ts';

const taken = [
  ...(['goal', 'role', 'roleDefinitionId', 'toolProfileName', 'modelId', 'reasoningEffort'] as const),
  ...(['maxIterations', 'maxTokens', 'maxWallClockMs', 'contextBudgetTokens'] as const),
];
/** Of the tree: a run below another one draws on its pool. */
const takenOfRoot = ['poolIterationBudget', 'poolTokenBudget', 'poolCostBudgetUsd'] as const;

export interface StartCode {
  curl: string;
  javaScript: string;
  python: string;
}

export function startCode(run: AgentRunDto, origin: string): StartCode {
  const names = [...taken, ...(run.parentRunId === null ? takenOfRoot : [])];
  // Zero stands for no limit, which is what a run without the field has.
  const given = names.map((name) => [name, run[name]] as const).filter(([, value]) => value != null && value !== 0);
  const body = JSON.stringify({ ...Object.fromEntries(given), autoStart: true }, null, 2);
  const url = `${origin}/api/agent/runs`;
  return {
    curl: [
      `curl ${quoted(url)} \\`,
      `  -H "Authorization: Bearer $RIVULET_KEY" \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d ${quoted(body)}`,
    ].join('\n'),
    javaScript: [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      `  method: 'POST',`,
      `  headers: { Authorization: 'Bearer YOUR_KEY', 'Content-Type': 'application/json' },`,
      `  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),`,
      `});`,
      `console.log(await response.json());`,
    ].join('\n'),
    python: [
      'import json',
      'import urllib.request',
      '',
      // Texts and numbers of JSON are those of Python, too.
      `body = ${body.replace(/true\n}$/, 'True\n}')}`,
      'request = urllib.request.Request(',
      `    ${JSON.stringify(url)},`,
      '    data=json.dumps(body).encode(),',
      '    headers={"Authorization": "Bearer YOUR_KEY", "Content-Type": "application/json"},',
      ')',
      'with urllib.request.urlopen(request) as response:',
      '    print(json.load(response))',
    ].join('\n'),
  };
}

/** As one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

// Gives every matcher of patterns from outside the worst input it can get, and names each one that came to an end.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isEnabled } from '../../../runtime/chat/generate.ts';
import { positionOf } from '../../../runtime/systems/councils/councils.ts';
import { standingOf } from '../../../runtime/systems/turn/tool-policy.ts';
import { decide } from '../../../sandbox/network/allow-list.ts';
import { listFiles } from '../../../sandbox/workspace/read-files.ts';
import { permits } from '../../../src/groups/agent/briefings/policy.ts';
import { checkTemplate, renderTemplate } from '../../../src/groups/agent/roles/template.ts';
import { fill } from '../../../src/models/scripted/placeholders.ts';
import { contains } from '../../../src/ports/db.ts';
import { compileFilter } from '../../../src/stores/embedded/matcher.ts';
import { checkFilter } from '../../../src/stores/subset/filter.ts';

const long = 'a'.repeat(50_000);
const tool = { name: long, description: '', risk: 'Safe', inputSchema: {} } as unknown as Parameters<
  typeof standingOf
>[0];
const lists = { layers: [], safe: ['a*', `${long}b`], optIn: [`${long}b*`], blocked: [`*${long}b`] };

const globs = [
  '**a'.repeat(150),
  '*a'.repeat(200),
  '**/'.repeat(160),
  `${'*a?'.repeat(120)}[!/]`,
  `${'(a+)+'.repeat(40)}$`,
];

const scenes: Record<string, () => unknown> = {
  'globs of file lists': async () => {
    const root = mkdtempSync(join(tmpdir(), 'rivulet-globs-'));
    try {
      const folder = join(root, ...Array.from({ length: 12 }, () => 'a'.repeat(200)));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'a'.repeat(200)), '');
      for (const glob of globs) await listFiles(root, { isRecursive: true, glob: `${glob}b` });
    } finally {
      rmSync(root, { recursive: true });
    }
  },
  'filters of lists': () => {
    for (const text of [`${long}b`, `${'(a+)+'.repeat(400)}$`, 'İß'.repeat(500)])
      for (const $options of ['', 'i'] as const) {
        const filter = { name: { $regex: contains(text), $options } };
        checkFilter(filter);
        const matches = compileFilter(filter);
        for (const value of [long.repeat(20), 'İa'.repeat(100_000)]) matches({ name: value });
      }
  },
  'lists of tools': () => [standingOf(tool, lists), permits(lists, long), isEnabled(lists.optIn, long)],
  'lists of hosts': () =>
    decide(`${long}.`, 443, {
      patterns: [`*.${long}b`, `${':1'.repeat(20_000)}x`],
      allowsPrivate: false,
      resolve: async () => [],
    }),
  'templates of roles': () => {
    const template = `{{${' '.repeat(100_000)}`.repeat(3);
    checkTemplate(template);
    return renderTemplate(template, { agent: '', role: '', goal: '', date: '', deliverable: '', destination: '' });
  },
  'placeholders of scenarios': () => [fill(`{{${' '.repeat(100_000)}`, []), fill(`{{${' '.repeat(100_000)}x`, [])],
  'votes of councils': () => positionOf(`${'\n'.repeat(300_000)}x`),
};

for (const [name, scene] of Object.entries(scenes)) {
  await scene();
  console.log(name);
}

// The demo: fills a tenant to look around in, plays scenes, and takes away what it has made.
import { DemoScenario, DemoSize } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, float, int32, int64 } from '../../contract/types.ts';
import { AgentRunDto } from '../agent/dto.ts';
import { DemoStatusDto } from './dto.ts';

/** A large demo is made in well under that; it also waits for runs to stop. In ms. */
const timeoutMs = 120_000;

export const demo = group(
  'Demo',
  {
    base: '/api/demo',
    doc: 'Something to look at: agents, a project, runs and chats that follow scripts and ask no model.',
  },
  {
    status: op.get('', {
      doc: 'What the demo has made and what of it is at work. An operation of ours.',
      needs: 'SystemRead',
      data: DemoStatusDto,
    }),
    seed: op.post('/seed', {
      doc: 'Fill the tenant with demo identities, a project with tasks, runs and chats, and somebody who may look at them (demoUsername; the password is told once). Small is 3 identities and 3 runs, Medium twice, Large five times as many. With includeHistory (true unless said otherwise) runs and chats play at once; without it they wait to be started. The same seed (a number) gives the same demo. All of it is made by the operations that anybody uses, with the rights of the caller.',
      needs: 'SystemWrite',
      body: fields({
        size: DemoSize.nullish(),
        includeHistory: boolean.nullish(),
        seed: int32.nullish(),
      }).optional(),
      data: DemoStatusDto,
      // A tenant has one demo: a repeat finds it.
      idempotent: false,
      timeoutMs,
    }),
    run: op.post('/run', {
      doc: 'Play a scene as a live run on the scripted provider: SingleRun unless said otherwise. speed 2 plays it twice as fast, for this run and its children, also after a restart. RoutineWake and ProviderFallback make the routine, role and route that they need; Chat pauses the run and talks with it.',
      needs: 'SystemWrite',
      body: fields({
        scenario: DemoScenario.nullish(),
        speed: float.min(0.1).max(100).nullish(),
        projectId: int64.nullish(),
      }).optional(),
      data: AgentRunDto,
    }),
    reset: op.post('/reset', {
      doc: 'Remove what the demo has made, and nothing else: its runs are stopped and go with their trees, its project with all that was put into it. A reset that was cut short is completed by the next one. The audit log and the ledger of model calls stay.',
      needs: 'SystemWrite',
      body: fields({ confirm: boolean }),
      data: DemoStatusDto,
      idempotent: false,
      timeoutMs,
    }),
  },
);

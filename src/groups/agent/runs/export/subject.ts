// What a file of a run is made from.
import type { DebateView } from '../../../../../runtime/views/council.ts';
import type { EventView } from '../../../../../runtime/views/run.ts';
import type { AgentRunDetailDto } from '../../dto.ts';

export type ExportedRun = Omit<AgentRunDetailDto, 'recentEvents'>;

export interface ExportSubject {
  run: ExportedRun;
  /** By sequence number. */
  events: AsyncIterable<EventView>;
  /** Later events that are not in the file. */
  leftOut: number;
  /** Its councils, the oldest first. */
  councils: DebateView[];
  /** Guids of the first run of the tree and of the run above this one, where they are still there. */
  rootGuid: string;
  parentGuid: string | null;
  /** Time of the export, ms. */
  now: number;
}

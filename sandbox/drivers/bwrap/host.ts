// State that the sandboxes of one bubblewrap driver share.
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Cgroups } from './cgroups.ts';
import type { Fifos } from './fifos.ts';
import type { LaunchFiles } from './launcher.ts';
import type { Records } from './records.ts';

/** Shared parts of the driver, made on first use. */
export interface BwrapHost {
  cgroups: Cgroups;
  fifos: Fifos;
  files: LaunchFiles;
  records: Records;
  /** Parent of the sandboxes' own directories. */
  sandboxes: string;
  clock: Clock;
}

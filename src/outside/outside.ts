// What groups that call other servers are given.
import type { Vault } from '../kernel/vault.ts';
import type { Programs } from '../ports/programs.ts';
import type { Door } from './door.ts';

export interface Outside {
  /** The only way out. */
  door: Door;
  /** Programs that are spoken with, such as MCP servers: in a sandbox each. */
  programs: Programs;
  /** Seals credentials of other servers. */
  vault: Vault;
  /** Folders whose files a tenant's connectors may read and write. */
  foldersOf(tenantId: number): readonly string[];
  /** Where people reach this server; null where the operator has not said. */
  publicUrl(): string | null;
  /** Where this machine reaches it. */
  localUrl(): string;
}

// What several nodes tell each other of the runs that they work on, for limits of tenants.

/** What other nodes have at work, where there are several. */
export interface WorkElsewhere {
  /** Runs of the tenant at work on other nodes, as they last said. */
  of(tenantId: number): number;
  /** Tells the others how many this node has. */
  tell(tenantId: number, atWork: number): void;
  /** Has a function called whenever there may be more room than before. */
  onLess(retry: () => void): void;
}

// Changes that come while a snapshot is on its way: the snapshot may be of before them.

export interface Meanwhile<T> {
  /**
   * Resolves with the snapshot and the changes that were noted while it loaded; with undefined when another load was
   * begun meanwhile, whose answer is newer. Rejects as the load does.
   */
  during(loading: Promise<T>): Promise<T | undefined>;
  /** A change of what is shown, which is made on a snapshot that is on its way once more: it must bear repeating. */
  note(change: (data: T) => T): void;
}

export function createMeanwhile<T>(): Meanwhile<T> {
  let noted: ((data: T) => T)[] | null = null;
  return {
    async during(loading) {
      const changes: ((data: T) => T)[] = [];
      noted = changes;
      try {
        const snapshot: T = await loading;
        return noted === changes ? changes.reduce<T>((data, change) => change(data), snapshot) : undefined;
      } finally {
        if (noted === changes) noted = null;
      }
    },
    note(change) {
      noted?.push(change);
    },
  };
}

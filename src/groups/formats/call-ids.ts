// Ids of tool calls, each its own within an answer: some servers number their calls anew in each turn.

export function createCallIds() {
  const uses = new Map<string, number>();
  const open = new Set<string>();
  const nameOf = (id: string) => {
    const use = uses.get(id) ?? 1;
    return use === 1 ? id : `${id}-${use}`;
  };
  return {
    isOpen: (id: string): boolean => open.has(id),
    /** The id of a call that begins. */
    open(id: string): string {
      uses.set(id, (uses.get(id) ?? 0) + 1);
      open.add(id);
      return nameOf(id);
    },
    of: nameOf,
    /** The id of a call that ends; null for one that nobody saw begin. */
    close: (id: string): string | null => (open.delete(id) ? nameOf(id) : null),
  };
}

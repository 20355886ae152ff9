// Whether somebody may hear of an event: routines are woken and webhooks are sent only what their makers may follow.

/**
 * @param mayFollow - whether the one who hears may follow a topic
 */
export async function mayHearOf(
  topics: readonly string[],
  mayFollow: (topic: string) => Promise<boolean>,
): Promise<boolean> {
  // Topics of one person are theirs alone.
  const open = topics.filter((topic) => !topic.includes('@'));
  // What is told in a project is its members', on whatever topic it is told besides.
  for (const topic of open) if (topic.startsWith('project:') && !(await mayFollow(topic))) return false;
  for (const topic of open) if (await mayFollow(topic)) return true;
  return false;
}

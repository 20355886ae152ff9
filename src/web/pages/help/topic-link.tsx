// Links to topics of the help: to their pages, or within the drawer where they stand in it.
import { createContext, type ReactNode, useContext } from 'react';
import { href } from '../../base/router.ts';

/** Shows a topic where the reader is, or all topics for null; null where links lead to pages. */
export const OpenTopic = createContext<((slug: string | null) => void) | null>(null);

export function TopicLink({ slug, children }: { slug: string | null; children: ReactNode }) {
  const open = useContext(OpenTopic);
  return (
    <a
      href={href(slug ? `/help/${slug}` : '/help')}
      onClick={(event) => {
        if (!open || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open(slug);
      }}
    >
      {children}
    </a>
  );
}

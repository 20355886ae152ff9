// Whether the window is at most so wide: where the layout itself differs, and not its styles alone.
import { useEffect, useState } from 'react';

export function useNarrow(pixels: number): boolean {
  const query = `(max-width: ${pixels}px)`;
  const [narrow, setNarrow] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const media = window.matchMedia(query);
    const onChange = () => setNarrow(media.matches);
    onChange();
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, [query]);
  return narrow;
}

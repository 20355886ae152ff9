// Whether the page is being printed, for what draws only the part of it that is in sight.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** True from before the browser lays the page out for paper until it has: what is drawn then is on the paper. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}

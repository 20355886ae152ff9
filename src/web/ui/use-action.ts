// What a button or a form does: whether it is under way, and what went wrong.
import { useRef, useState } from 'react';
import type { ApiError } from '../../client/index.ts';
import { toApiError } from '../state/resource.ts';
import { sayError } from './toast.tsx';

interface Action {
  busy: boolean;
  /** Why the last one failed, for who shows it in place. */
  error: ApiError | null;
  /** Answers whether it was done; what went wrong has been said then. */
  act: (work: () => Promise<unknown>) => Promise<boolean>;
  /** Takes back what was said of the last one, when nobody will try it again. */
  forget: () => void;
}

/** An error is a toast, or is `shown` in place by the component. */
export function useAction(errors: 'toast' | 'shown' = 'toast'): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const takeBack = useRef(() => {});
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    // Why the last try failed says nothing of this one.
    takeBack.current();
    try {
      await work();
      return true;
    } catch (cause) {
      if (errors === 'toast') takeBack.current = sayError(cause);
      else setError(toApiError(cause));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, act, forget: () => takeBack.current() };
}

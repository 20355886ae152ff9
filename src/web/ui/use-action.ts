// What a button or a form does: whether it is under way, and what went wrong.
import { useState } from 'react';
import type { ApiError } from '../../client/index.ts';
import { toApiError } from '../state/resource.ts';
import { sayError } from './toast.tsx';

interface Action {
  busy: boolean;
  /** Why the last one failed, for who shows it in place. */
  error: ApiError | null;
  /** Answers whether it was done; what went wrong has been said then. */
  act: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** An error is a toast, or is `shown` in place by the component. */
export function useAction(errors: 'toast' | 'shown' = 'toast'): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (cause) {
      if (errors === 'toast') sayError(cause);
      else setError(toApiError(cause));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, act };
}

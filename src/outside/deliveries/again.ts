// A delivery that has ended is sent once more because somebody asks: it waits anew, under the id that it had.
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import { isMarked, ownMark } from '../../ports/once.ts';
import type { Draft, KeptDoc } from '../../ports/record.ts';
import { isOpen, newlyWaiting, type Waiting } from './outbox.ts';

interface Again<Doc> {
  now: Date;
  /** Of which webhook or channel it is. */
  within: Filter<Doc>;
  /** What else changes with it. @throws Fault where it cannot be sent again */
  anew(old: Doc): object;
}

/** @throws Fault CONFLICT where it has not ended; what `anew` throws */
export const sendAgain = <Doc extends Waiting & KeptDoc>(
  deliveries: Keeper<Doc>,
  by: By,
  id: number,
  { now, within, anew }: Again<Doc>,
): Promise<Doc> =>
  deliveries.change(
    by,
    id,
    (old) => {
      const { marks = [] } = old;
      // A repeat of the request finds it waiting, or sent.
      if (isMarked({ marks })) return {};
      if (isOpen(old))
        throw new Fault('CONFLICT', 'This delivery has not ended: it is sent by itself.', {
          hint: 'Wait for its end, or see nextAttemptAtUtc.',
        });
      // That an earlier attempt may have arrived stays true.
      const { mayBeRepeated: _, ...waits } = newlyWaiting(now);
      return { ...waits, ...anew(old), ...ownMark({ marks }) } as Partial<Draft<Doc>>;
    },
    { within, expecting: ['status'] },
  );

// Escalations of the tree that wait, to be decided where the run is watched.
import { useStore } from '../../base/store.ts';
import { escalationStore, isOpen } from '../../state/escalations.ts';
import { EscalationCard } from '../escalations/escalation-card.tsx';

export function OpenGates({ runIds, here }: { runIds: number[]; here: number }) {
  const all = useStore(escalationStore);
  const ofTree = new Set<number | null>(runIds);
  const open = [...all.values()].filter((escalation) => isOpen(escalation) && ofTree.has(escalation.runId));
  return (
    <>
      {open.map((escalation) => (
        <EscalationCard key={escalation.id} escalation={escalation} here={escalation.runId === here} />
      ))}
    </>
  );
}

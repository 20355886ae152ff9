// The events that wake a routine: listed, added, taken away.
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import { shown } from '../../../ports/shown.ts';
import { parseFilter, parsePattern } from '../../../routines/event-match.ts';
import { requireRoom } from '../../room.ts';
import { AgentRoutineTriggerDto } from './dto.ts';
import type { RoutineHandlers, RoutineServiceDeps } from './kit.ts';
import type { TriggerDoc } from './record.ts';

const defaultSeconds = 60;
const mostTriggers = 50;
/** Triggers of a tenant: each event is matched against all of them. */
export const mostOfTenant = 5000;
const moreTriggers =
  'Take one away (DELETE /api/agent/routines/{id}/triggers/{triggerId}), or join some with * in eventPattern.';

export function triggerHandlers({
  routines,
  triggers,
  acting,
  triggersChanged,
}: RoutineServiceDeps): Pick<RoutineHandlers, 'listTriggers' | 'createTrigger' | 'removeTrigger'> {
  const show = (doc: TriggerDoc) => shown(AgentRoutineTriggerDto, doc);
  const all = (tenantId: number, routineId: number) =>
    triggers
      .of(tenantId)
      .find({ routineId }, { sort: { _id: 1 } })
      .toArray();
  const toChange = async (caller: Caller, id: number) => {
    const routine = await routines.get(caller, id);
    await acting.allow(caller, routine.identityId);
    return routine;
  };
  return {
    listTriggers: async ({ caller, params }) => {
      const { _id } = await routines.get(caller, params.id);
      return (await all(caller.tenantId, _id)).map(show);
    },
    createTrigger: async ({ caller, params, body }) => {
      const routine = await toChange(caller, params.id);
      parsePattern(body.eventPattern);
      parseFilter(body.filterJson ?? null);
      if ((await all(caller.tenantId, routine._id)).length >= mostTriggers)
        throw new Fault('CONFLICT', `A routine has at most ${mostTriggers} triggers.`, {
          hint: 'Join some with * in eventPattern, or take one away.',
        });
      await requireRoom(triggers.of(caller.tenantId), mostOfTenant, 'triggers of routines', moreTriggers);
      const made = await triggers.insert(caller, {
        routineId: routine._id,
        projectId: routine.projectId,
        eventPattern: body.eventPattern,
        filterJson: body.filterJson ?? null,
        minSecondsBetweenWakes: body.minSecondsBetweenWakes ?? defaultSeconds,
        lastWakeAt: null,
      });
      triggersChanged(caller.tenantId);
      return show(made);
    },
    removeTrigger: async ({ caller, params }) => {
      const routine = await toChange(caller, params.id);
      const found = await triggers.get(caller, params.triggerId, { routineId: routine._id });
      await triggers.remove(caller, found._id);
      triggersChanged(caller.tenantId);
      return null;
    },
  };
}

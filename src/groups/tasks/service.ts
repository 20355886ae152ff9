// Serves the tasks of projects; what must hold of them is in the book.
import { implement } from '../../contract/operation.ts';
import { tasks } from './contract.ts';
import { kitOf, type TasksDeps } from './kit.ts';
import { boardHandler, getHandler, listHandlers, nextHandler } from './reading.ts';
import { runHandler, takeHandlers } from './taking.ts';
import { linkers, talkers } from './talking.ts';
import { changeHandlers, createHandler, moveHandler } from './writing.ts';

export const tasksService = implement(tasks, (deps: TasksDeps) => {
  const kit = kitOf(deps);
  const reads = { ...listHandlers(kit), ...nextHandler(kit), ...getHandler(kit), ...boardHandler(kit) };
  const writes = { ...createHandler(kit), ...changeHandlers(kit), ...moveHandler(kit) };
  return { ...reads, ...writes, ...takeHandlers(kit), ...runHandler(kit), ...talkers(kit), ...linkers(kit) };
});

// How the operations of parts are called whose paths take ids, made from the samples that the parts declare.
import { namedVerb, operationId } from '../../src/contract/named.ts';
import type { AnyOperation, Group } from '../../src/contract/operation.ts';
import type { ResourceSample } from '../../src/groups/part.ts';
import { fillPath, paramsOf } from './operations.ts';

/** Creates a resource of the sample `of`. */
type Post = (path: string, body: unknown, of: ResourceSample) => Promise<object>;

/** A resource that was made, and the ids in the path by which it was. */
interface MadeResource {
  id: number;
  within: Readonly<Record<string, number>>;
}

export interface SampledOperation {
  id: string;
  verb: string;
  operation: AnyOperation;
  /** Parameters of what the resource belongs to. */
  holders: readonly string[];
  /** The parameter that is the id of the resource; null for its list and its creation. */
  own: string | null;
}

const creationOf = (of: Group) => of.operations.create as AnyOperation;

/** The path of one of the resource, which those of its further operations begin with. */
const onePathOf = ({ operations: { create, get, patch, remove } }: Group): string =>
  (get ?? patch ?? remove)?.path ?? `${create?.path}/{id}`;

/** Operations of a sample's resource whose path takes ids: those of what it belongs to, and its own. */
export function operationsOf({ of }: ResourceSample, all: readonly ResourceSample[]): SampledOperation[] {
  const holders = paramsOf(of.base + creationOf(of).path);
  const onePath = onePathOf(of);
  const own = paramsOf(of.base + onePath).find((name) => !holders.includes(name)) ?? null;
  const nouns = all.flatMap((one) => (one.of.id === of.id && one.of.noun !== undefined ? [one.of.noun] : []));
  const isOthers = (verb: string) =>
    of.noun === undefined && nouns.some((noun) => verb.endsWith(noun) || verb === namedVerb('list', noun));
  return Object.entries(of.operations).flatMap(([verb, operation]) => {
    const names = paramsOf(of.base + operation.path);
    const isOfOne = operation.path === onePath || operation.path.startsWith(`${onePath}/`);
    const others = names.filter((name) => !holders.includes(name) && !(isOfOne && name === own));
    if (names.length === 0 || isOthers(verb) || others.length > 0) return [];
    const used = holders.filter((name) => names.includes(name));
    return [{ id: operationId(of, verb), verb, operation, holders: used, own: isOfOne ? own : null }];
  });
}

/** Makes what a sample's resource belongs to; answers the parameters by name. */
async function holdersOf(sample: ResourceSample, all: readonly ResourceSample[], name: string, post: Post) {
  return (await sample.within?.(other(sample, all, name, post))) ?? {};
}

const other =
  (sample: ResourceSample, all: readonly ResourceSample[], name: string, post: Post) => async (of: Group) => {
    const found = all.find((one) => one.of === of);
    if (!found) throw new Error(`${of.id} has no sample`);
    return (await makeOfPart(found, all, `${name} for ${sample.of.id}`, post)).id;
  };

/** Makes one of a part's resource by its sample, with those that it needs, through `post`. */
export async function makeOfPart(
  sample: ResourceSample,
  all: readonly ResourceSample[],
  name: string,
  post: Post,
): Promise<MadeResource> {
  const { of, create } = sample;
  const within = await holdersOf(sample, all, name, post);
  const path = fillPath(of.base + creationOf(of).path, (param) => within[param] ?? 0);
  const made = await post(path, await create(name, other(sample, all, name, post)), sample);
  return { id: idIn(made), within };
}

/** The id of what was made, also where it is answered with what is told once beside it. */
function idIn(made: object): number {
  const found = [made, ...Object.values(made)].find((one) => typeof one?.id === 'number');
  if (!found) throw new Error(`nothing with an id was made: ${JSON.stringify(made)}`);
  return found.id;
}

/** How one operation of a resource is called, so that its owner gets an answer. */
export async function callOf(
  { verb, own, holders }: SampledOperation,
  sample: ResourceSample,
  all: readonly ResourceSample[],
  name: string,
  post: Post,
): Promise<{ params: Record<string, number>; body?: object }> {
  const { id, within } =
    own === null
      ? { id: 0, within: await holdersOf(sample, all, name, post) }
      : await makeOfPart(sample, all, name, post);
  const params = Object.fromEntries(holders.map((holder) => [holder, within[holder] ?? 0]));
  if (own !== null) params[own] = id;
  const body =
    verb === 'create' ? await sample.create(name, other(sample, all, name, post)) : sample.bodies[verb]?.({ id, name });
  return { params, ...(body && { body }) };
}

// Operations that the contracts do not declare yet, called by method and path.
import { client, serves } from './app.ts';

interface OperationInput {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
}

export interface Operation<Data> {
  (input?: OperationInput): Promise<Data>;
  /** `GET /api/agent/escalations` */
  readonly route: string;
  /** True when this server offers it. */
  readonly served: boolean;
}

/** Makes an operation from `METHOD /path/{param}`. */
export function operation<Data>(route: string): Operation<Data> {
  const [method = 'GET', template = '/'] = route.split(' ');
  const call = async ({ params = {}, ...rest }: OperationInput = {}) => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
    return (await client.request({ method, path, ...rest })) as Data;
  };
  return Object.defineProperty(Object.assign(call, { route, served: false }), 'served', { get: () => serves(route) });
}

// Mail as a part of the server.
import { createConnectorBook } from '../connectors/book.ts';
import { part } from '../part.ts';
import { email } from './contract.ts';
import { emailService } from './service.ts';
import { createMailTools } from './tools.ts';

export const emailPart = part({
  records: [],
  contracts: [email],
  serve: (deps) => [emailService({ ...deps, book: createConnectorBook(deps) })],
  tenantTools: (deps) => createMailTools({ ...deps, book: createConnectorBook(deps) }),
  samples: [],
});

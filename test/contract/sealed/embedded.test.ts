// The contract of sealed documents on the embedded store.
import { systemClock } from '../../../src/kernel/clock.ts';
import { openWorldDb } from '../../support/embedded-db.ts';
import { sealedContract } from './suite.ts';

sealedContract({ name: 'the embedded store', open: () => openWorldDb(systemClock, []) });

// Bad input to part 1 of the operations.
import { fuzz } from './fuzz.ts';

fuzz(1);

// Passwords as argon2id hashes.
import { hash, verify } from '@node-rs/argon2';

/** OWASP's second recommended setting for argon2id: 19 MiB, 2 passes, 1 lane (Password Storage Cheat Sheet). */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** PHC string of a new hash. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/** False for a wrong password; takes as long when there is no hash, so that users cannot be guessed by time. */
export async function checkPassword(stored: string | null, password: string): Promise<boolean> {
  if (stored === null) {
    await hash(password, cost);
    return false;
  }
  return verify(stored, password);
}

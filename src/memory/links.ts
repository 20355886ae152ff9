// Strengthening of links.

/** New strength: each use adds the same share of the distance to 1 (Hebb's rule with a bound). */
export const strengthened = (strength: number, increment: number) => strength + increment * (1 - strength);

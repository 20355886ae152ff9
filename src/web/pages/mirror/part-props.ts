// What each part of the mirror is given.
export interface PartProps {
  identityId: number;
  /** Grows when something of the identity has changed. */
  news: number;
}

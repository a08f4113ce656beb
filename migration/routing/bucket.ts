import { hash } from 'node:crypto'

/**
 * The bucket of a subject within an area: 0 to 9,999. A subject keeps its bucket, so that a growing weight only adds
 * subjects, and a route with a smaller weight than another one of its area serves a subset of the other's subjects.
 * `areaSalt` is different for each area and installation; without it, the same accounts would always go first.
 */
export const bucketOf = (areaSalt: string, subject: string): number =>
  Number.parseInt(hash('sha256', `${areaSalt}\n${subject}`, 'hex').slice(0, 8), 16) % 10_000

import { distance } from 'fastest-levenshtein'
import { routeScopes } from '../model/route-scope.ts'

const count = 3
// The longest label has 40 characters; the distance to a very long text would take long to compute.
const maxComparedLength = 64

/** The scopes that a misspelled one most likely means, the nearest first. */
export const listNearestScopes = (
  text: string,
  scopes: readonly string[] = routeScopes,
): readonly string[] => {
  const compared = text.slice(0, maxComparedLength)
  return scopes
    .map((scope) => ({ scope, edits: distance(compared, scope) }))
    .toSorted((left, right) => left.edits - right.edits)
    .slice(0, count)
    .map(({ scope }) => scope)
}

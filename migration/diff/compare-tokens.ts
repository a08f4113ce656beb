import { type FindingLocation, type Findings, fieldAt } from './findings.ts'
import type { JsonObject } from './json.ts'
import { selectField } from './select-shape.ts'
import type { Shape } from './shape.ts'

const listTokens = (shape: Shape | null, record: JsonObject) =>
  Object.entries(record).flatMap(([key, value]) => {
    const field = selectField(shape, key)
    return typeof value === 'string' && field?.kind === 'leaf' && field.format === 'token'
      ? [[key, value] as const]
      : []
  })

const findLonger = (tokens: ReturnType<typeof listTokens>, value: string) =>
  tokens.filter(([, longer]) => longer !== value && longer.endsWith(value)).map(([key]) => key)

/**
 * Adds a difference if, on one side only, a token ends with its preview or a path ends with the token. The tokens
 * themselves are random.
 */
export const compareTokens = (
  found: Findings,
  shape: Shape | null,
  native: JsonObject,
  core: JsonObject,
  at: FindingLocation,
) => {
  const [ours, theirs] = [listTokens(shape, native), new Map(listTokens(shape, core))]
  for (const [key, value] of ours) {
    const other = theirs.get(key)
    if (other === undefined || value === other) continue
    if (findLonger(ours, value).join() !== findLonger([...theirs], other).join())
      found.add('value', fieldAt(at, key, shape), value, other, selectField(shape, key))
  }
}

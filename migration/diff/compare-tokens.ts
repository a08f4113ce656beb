import type { DiffSchema } from './diff-schema.ts'
import { type DifferenceCollector, fieldAt, type ResponseLocation } from './difference-collector.ts'
import type { JsonObject } from './json.ts'
import { selectField } from './select-schema.ts'

const listTokens = (schema: DiffSchema | null, record: JsonObject) =>
  Object.entries(record).flatMap(([key, value]) => {
    const field = selectField(schema, key)
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
  found: DifferenceCollector,
  schema: DiffSchema | null,
  native: JsonObject,
  core: JsonObject,
  at: ResponseLocation,
) => {
  const [ours, theirs] = [listTokens(schema, native), new Map(listTokens(schema, core))]
  for (const [key, value] of ours) {
    const other = theirs.get(key)
    if (other === undefined || value === other) continue
    if (findLonger(ours, value).join() !== findLonger([...theirs], other).join())
      found.add('value', fieldAt(at, key, schema), value, other, selectField(schema, key))
  }
}

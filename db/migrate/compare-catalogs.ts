import type { CatalogEntry } from './catalog.ts'

type Parts = ReadonlyMap<string, string>

const groupByObject = (entries: readonly CatalogEntry[]): ReadonlyMap<string, Parts> => {
  const objects = new Map<string, Map<string, string>>()
  for (const { object, part, definition } of entries) {
    const parts = objects.get(object) ?? new Map<string, string>()
    objects.set(object, parts.set(part, definition))
  }
  return objects
}

const longestDefinition = 200

const quote = (definition: string) => {
  const line = definition.replace(/\s+/g, ' ')
  return `"${line.length > longestDefinition ? `${line.slice(0, longestDefinition)}…` : line}"`
}

const describePart = (part: string, expected: string | undefined, actual: string | undefined) => {
  if (actual === undefined) return `${part} is missing${expected ? ` (${quote(expected)})` : ''}`
  if (expected === undefined)
    return `${part} is not created by the migrations${actual ? ` (${quote(actual)})` : ''}`
  // Two long definitions, such as function bodies, can look the same once they are cut off.
  const [expectedText, actualText] = [quote(expected), quote(actual)]
  const subject = part === '' ? 'the definition' : part
  return expectedText === actualText
    ? `${subject} differs`
    : `${subject} is ${actualText} instead of ${expectedText}`
}

const compareParts = (expected: Parts, actual: Parts) =>
  [...new Set([...expected.keys(), ...actual.keys()])]
    .filter((part) => expected.get(part) !== actual.get(part))
    .map((part) => describePart(part, expected.get(part), actual.get(part)))

/**
 * Describes each difference from the expected schema in a sentence. Reports an unexpected object only if it is in
 * `known`, because the database may also contain other objects, such as the core's tables.
 */
export const compareCatalogs = (
  expected: readonly CatalogEntry[],
  actual: readonly CatalogEntry[],
  known: ReadonlySet<string>,
): readonly string[] => {
  const [expectedObjects, actualObjects] = [groupByObject(expected), groupByObject(actual)]
  return [...known].sort().flatMap((object) => {
    const [expectedParts, actualParts] = [expectedObjects.get(object), actualObjects.get(object)]
    if (expectedParts && actualParts)
      return compareParts(expectedParts, actualParts).map((difference) => `${object}: ${difference}`)
    if (expectedParts) return [`${object} is missing`]
    return actualParts ? [`${object} is created by a later migration`] : []
  })
}

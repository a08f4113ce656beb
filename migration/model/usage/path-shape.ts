import { labels, rowOf } from '#contracts/shared/row.ts'

const rowSegments = labels.map((label) => rowOf(label).path.split('/').slice(1))
const isParameter = (segment: string | undefined) => segment?.startsWith(':') ?? false

/** The fixed segments of the route table, which no client chooses. */
const known: ReadonlySet<string> = new Set(rowSegments.flat().filter((segment) => !isParameter(segment)))

/** Those after which the route table never has an id: `v1`, `public`. */
const namespaces: ReadonlySet<string> = new Set(
  [...known].filter((word) =>
    rowSegments.every((segments) =>
      segments.every(
        (segment, index) =>
          segment !== word || (index < segments.length - 1 && !isParameter(segments[index + 1])),
      ),
    ),
  ),
)

const word = /^[a-z]{2,24}$/
const maxSegments = 8

/**
 * The shape of a path: `/v1/reports/:id` for `/v1/reports/7`. Segments of the route table are kept, and other plain words
 * where a collection is named: after a namespace or an id. All others could be an id, a slug, a token or an address, and
 * become `:id`.
 */
export const shapeOf = (path: string): string => {
  const segments = path.split('/').slice(1)
  const shape: string[] = []
  for (const segment of segments.slice(0, maxSegments)) {
    const previous = shape.at(-1) ?? ''
    const namesCollection = previous === ':id' || namespaces.has(previous)
    shape.push(known.has(segment) || (namesCollection && word.test(segment)) ? segment : ':id')
  }
  return `/${shape.join('/')}${segments.length > maxSegments ? '/...' : ''}`
}

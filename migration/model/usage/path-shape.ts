import { labels, rowOf } from '#contracts/shared/row.ts'

const rowSegments = labels.map((label) => rowOf(label).path.split('/').slice(1))
const isParameter = (segment: string | undefined) => segment?.startsWith(':') ?? false

/** The fixed segments of the route table's paths, so none comes from a client. */
const known: ReadonlySet<string> = new Set(rowSegments.flat().filter((segment) => !isParameter(segment)))

/** Segments that no id ever follows in the route table: `v1`, `public`. */
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
 * Returns a path's shape: `/v1/reports/:id` for `/v1/reports/7`. Keeps the route table's segments, and plain words
 * where a collection would be (after a namespace or id). Any other segment could be an id, slug, token or address, and
 * becomes `:id`.
 */
export const shapeOfPath = (path: string): string => {
  const segments = path.split('/').slice(1)
  const shape: string[] = []
  for (const segment of segments.slice(0, maxSegments)) {
    const previous = shape.at(-1) ?? ''
    const namesCollection = previous === ':id' || namespaces.has(previous)
    shape.push(known.has(segment) || (namesCollection && word.test(segment)) ? segment : ':id')
  }
  return `/${shape.join('/')}${segments.length > maxSegments ? '/...' : ''}`
}

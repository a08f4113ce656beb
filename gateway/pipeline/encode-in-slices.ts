import { isLong, mapInSlices } from '#shared/map-in-slices.ts'
import type { BodyChunk } from '../request/response.ts'

type Fields = Readonly<Record<string, unknown>>

const recordsPerChunk = 100
const scalarsPerChunk = 5000

const isLongList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && isLong(value)

/** Whether one of the fields of a body is a list that must be encoded in slices. */
export const hasLongList = (body: unknown): body is Fields => {
  if (typeof body === 'object' && body !== null)
    for (const value of Object.values(body)) if (isLongList(value)) return true
  return false
}

const splitIntoChunks = (items: readonly unknown[]) => {
  const size = typeof items[0] === 'object' ? recordsPerChunk : scalarsPerChunk
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

const encoder = new TextEncoder()

// The elements of an array without its brackets.
const encodeElements = (elements: unknown, isFirst: boolean) =>
  encoder.encode((isFirst ? '' : ',') + JSON.stringify(elements).slice(1, -1))

/**
 * Redacts a body that `hasLongList` and encodes it as JSON, a part of each long list at a time. The schema of the body
 * is applied to each part in place of the whole list, next to the other fields.
 */
export const encodeInSlices = async (
  body: Fields,
  redact: (body: unknown) => unknown,
): Promise<BodyChunk[]> => {
  const lists = Object.entries(body).filter((field): field is [string, readonly unknown[]] =>
    isLongList(field[1]),
  )
  const rest = { ...body, ...Object.fromEntries(lists.map(([name]) => [name, []])) }
  const redactField = (name: string, part: readonly unknown[]) =>
    (redact({ ...rest, [name]: part }) as Fields)[name]

  const chunks: BodyChunk[] = []
  let separator = '{'
  for (const [name, value] of Object.entries(redact(rest) as Fields)) {
    if (value === undefined) continue
    const list = lists.find(([listName]) => listName === name)?.[1]
    const start = `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (!list) {
      chunks.push(encoder.encode(start + JSON.stringify(value)))
      continue
    }
    let isFirst = true
    const encoded = await mapInSlices(splitIntoChunks(list), (part) => {
      const elements = encodeElements(redactField(name, part), isFirst)
      isFirst = false
      return elements
    })
    chunks.push(encoder.encode(`${start}[`), ...encoded, encoder.encode(']'))
  }
  chunks.push(encoder.encode('}'))
  return chunks
}

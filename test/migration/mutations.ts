import type * as z from 'zod'
import { type DiffSchema, selectField, selectOption, toDiffSchema } from '#migration/diff/diff-schema.ts'
import { isObject, isSame } from '#shared/json.ts'

export type Steps = readonly (string | number)[]

export interface Spot {
  readonly steps: Steps
  readonly value: unknown
}

type Container = Record<string | number, unknown>

// Steps come from walking the body, so all but the last lead to an object or an array.
const containerAt = (body: unknown, steps: Steps) =>
  steps.reduce<unknown>((value, step) => (value as Container)[step], body) as Container

const valueAt = (body: unknown, steps: Steps): unknown =>
  steps.length === 0 ? body : containerAt(body, steps.slice(0, -1))[steps.at(-1)!]

const changed = <T>(body: T, steps: Steps, change: (container: Container) => void): T => {
  const copy = structuredClone(body)
  change(containerAt(copy, steps))
  return copy
}

const listSpots = (value: unknown, steps: Steps = []): readonly Spot[] => {
  const children: readonly [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : []
  return [{ steps, value }, ...children.flatMap(([key, child]) => listSpots(child, [...steps, key]))]
}

export const listObjects = (body: unknown) => listSpots(body).filter(({ value }) => isObject(value))

export const listFields = (body: unknown) =>
  listSpots(body).filter(
    ({ steps }) => typeof steps.at(-1) === 'string' && steps.at(-2) !== 'requiredHeaders',
  )

export const listSequences = (body: unknown) =>
  listSpots(body).filter(({ value }) => Array.isArray(value) && !isSame(value, value.toReversed()))

export const dropField = <T>(body: T, steps: Steps) =>
  changed(body, steps.slice(0, -1), (parent) => delete parent[steps.at(-1)!])

export const replaceValue = <T>(body: T, steps: Steps, value: unknown) =>
  changed(body, steps.slice(0, -1), (parent) => {
    parent[steps.at(-1)!] = value
  })

export const renameField = <T>(body: T, steps: Steps) =>
  replaceValue(
    dropField(body, steps),
    [...steps.slice(0, -1), `${steps.at(-1)}Renamed`],
    valueAt(body, steps),
  )

export const reverseArray = <T>(body: T, steps: Steps) => {
  const elements = valueAt(body, steps)
  return replaceValue(body, steps, Array.isArray(elements) ? elements.toReversed() : elements)
}

export const addOwnerId = <T>(body: T, steps: Steps) =>
  changed(body, steps, (owner) => {
    owner.ownerId = 'acct_owner'
  })

/** Returns a value of a different JSON type. */
export const replaceType = (value: unknown) => (isObject(value) ? [value] : { value })

export const pathOf = (steps: Steps) =>
  ['body', ...steps.map((step) => (typeof step === 'number' ? '*' : step))].join('.')

/** Returns the body as another run would generate it, with other ids (replaced consistently) and later timestamps. */
export const regenerateBody = (schema: z.ZodType, body: unknown) => {
  const ids = new Map<string, string>()
  const replaceId = (id: string) => ids.get(id) ?? ids.set(id, `made-anew-${ids.size}`).get(id)
  const regenerate = (declared: DiffSchema | null, value: unknown): unknown => {
    const part = selectOption(declared, value)
    if (Array.isArray(value))
      return value.map((element) => regenerate(part?.kind === 'array' ? part.element : null, element))
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, field]) => [key, regenerate(selectField(part, key), field)]),
      )
    if (part?.kind !== 'leaf' || typeof value !== 'string') return value
    if (part.format === 'id') return replaceId(value)
    return part.format === 'timestamp' ? '2031-01-02T03:04:05.678Z' : value
  }
  return regenerate(toDiffSchema(schema), body)
}

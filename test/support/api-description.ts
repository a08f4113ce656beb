import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'

interface DescribedResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: {
    readonly 'application/json': {
      readonly schema: object
      readonly example?: unknown
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
    }
  }
}

interface DescribedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Readonly<Record<string, unknown>>
  readonly description: string
  readonly example?: string | number
}

export interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: readonly DescribedParameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: { readonly 'application/json': { readonly schema: object; readonly example: unknown } }
  }
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

export const document = createOpenApiDocument('operators')

/** Returns the value at a reference such as `#/components/schemas/Track`; undefined if there is none. */
export const resolveRef = (ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (place, key) => (place as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/')],
      document,
    )

// Leaves references to schemas unresolved, because a validator resolves them and schemas can contain themselves.
const resolveComponents = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(resolveComponents)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string')
    return value.$ref.startsWith('#/components/schemas/') ? value : resolveComponents(resolveRef(value.$ref))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveComponents(inner)]))
}

const findPathItem = (label: Label): Readonly<Record<string, unknown>> =>
  (document.webhooks[label] ?? document.paths[rowOf(label).path.replace(/:(\w+)/g, '{$1}')]) as Record<
    string,
    unknown
  >

const readOperation = (label: Label): DescribedOperation => {
  const { parameters = [], ...item } = resolveComponents(findPathItem(label)) as Record<string, unknown[]>
  const operation = item[rowOf(label).method.toLowerCase()] as unknown as DescribedOperation
  return {
    ...operation,
    security: operation.security ?? document.security,
    parameters: [...(parameters as DescribedParameter[]), ...(operation.parameters ?? [])],
  }
}

const operations = new Map<Label, DescribedOperation>()

/** Returns a route's operation. Deliveries are described under `webhooks`, all other routes under `paths`. */
export const operationOf = (label: Label): DescribedOperation => {
  const known = operations.get(label)
  if (known) return known
  const read = readOperation(label)
  operations.set(label, read)
  return read
}

export const describedCodes = (label: Label, status: number | 'default') =>
  Array.from(
    operationOf(label).responses[status]?.description.matchAll(/(?:^|, |\n\n)`([a-z_]+)`/g) ?? [],
    ([, code]) => code,
  )

import type * as z from 'zod'
import { type DeliveryLabel, deliveryLabels, deliveryOf, isDeliveryLabel } from '#contracts/deliveries.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import {
  listHeaderNames,
  type PipelineHeaderName,
  type ResponseHeaderName,
} from '#contracts/shared/response-headers.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { hasStoredResponses } from '../pipeline/idempotency/find-replay.ts'
import { type JsonSchema, toJsonSchema } from './openapi-schemas.ts'
import {
  listErrorCodes,
  listErrorHeaders,
  listErrorStatuses,
  listPipelineHeaders,
  listSentCodes,
} from './route-errors.ts'

export type OpenApiFields = Readonly<Record<string, unknown>>

/** The headers that contain the signature of a delivery: as described here, and as the provider names them. */
const listSignatureHeaders = (label: DeliveryLabel): readonly (readonly string[])[] => {
  const { headers } = deliveryOf(label)
  const names = Object.keys(headers)
  const providerNames = Object.values(headers)
  return names.join() === providerNames.join() ? [names] : [names, providerNames]
}

/** The names of all headers that may contain the signature of a delivery. */
export const allSignatureHeaders = deliveryLabels.flatMap(listSignatureHeaders).flat()

const jsonContent = (schema: OpenApiFields) => ({ 'application/json': { schema } })

/** Describes the body of an error response with one of these codes, which name schemas of the document. */
export const describeErrorContent = (codes: readonly string[]) => {
  const refs = codes.map((code) => ({ $ref: `#/components/schemas/${code}` }))
  return jsonContent(refs.length === 1 && refs[0] ? refs[0] : { oneOf: refs })
}

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** References to the descriptions of headers. */
export const describeDeclaredHeaders = (names: readonly (ResponseHeaderName | PipelineHeaderName)[]) =>
  Object.fromEntries(names.map((name) => [name, headerRef(name)]))

const describeHeaders = (label: Label, declared: readonly ResponseHeaderName[]) => ({
  'x-service-core-runtime': headerRef('x-service-core-runtime'),
  'x-service-native-route': { required: true, schema: { type: 'string', const: label } },
  'x-service-proxy-fallback': headerRef('x-service-proxy-fallback'),
  'x-request-id': headerRef('x-request-id'),
  'cache-control': headerRef('cache-control'),
  ...describeDeclaredHeaders([...declared, ...listPipelineHeaders(label)]),
})

const describeEvents = ({ stream, responses }: Contract) => {
  if (!stream) return {}
  const done = responses[200]
  const schemas = { ...stream.events, ...(done ? { done } : {}) }
  return {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Events, of which the last one is `done` with the JSON response, or `error` with the body of an error. Comments keep the connection alive.',
      },
      'x-event-data': Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema, 'output')]),
      ),
    },
  }
}

const successResponses = (contract: Contract) => {
  const { label, responses, headers } = contract
  return Object.entries(responses).map(([status, schema]) => [
    status,
    {
      description: schema ? 'Success.' : 'Success; the response has no body.',
      headers: describeHeaders(label, listHeaderNames(headers?.[Number(status)] ?? {})),
      ...(schema
        ? { content: { ...jsonContent(toJsonSchema(schema, 'output')), ...describeEvents(contract) } }
        : {}),
    },
  ])
}

/** The headers that the contract of a route declares for its errors. */
const listContractHeaders = (label: Label, status: number): readonly ResponseHeaderName[] => {
  const { errorHeaders = {} }: Contract = contracts[label]
  return status === 404 ? [] : listHeaderNames(errorHeaders)
}

const errorResponses = (label: Label) => {
  const codes = listErrorCodes(label)
  return [...new Set(codes.flatMap((code) => listErrorStatuses(label, code)))].map((status) => {
    const statusCodes = codes.filter((code) => listErrorStatuses(label, code).includes(status))
    const sentCodes = statusCodes.flatMap((code) => listSentCodes(label, code))
    return [
      status,
      {
        description: sentCodes.map((code) => `\`${code}\``).join(', '),
        headers: describeHeaders(label, [
          ...listErrorHeaders(statusCodes),
          ...listContractHeaders(label, status),
        ]),
        content: describeErrorContent(sentCodes),
      },
    ]
  })
}

const pathParameters = ({ path }: Row) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const propertiesOf = (schema: JsonSchema) => Object.entries(schema.properties ?? {})

// Query values are strings; the parsed schema describes which numbers they may contain.
const queryParameters = ({ query }: Contract) => {
  if (!query) return []
  const sent = toJsonSchema(query, 'input')
  const parsed = new Map(propertiesOf(toJsonSchema(query, 'output')))
  return propertiesOf(sent).map(([name, asText]) => {
    const asValue = parsed.get(name)
    const isNumber = typeof asValue === 'object' && asValue.type === 'integer'
    const required = sent.required?.includes(name) ?? false
    return { name, in: 'query', required, schema: isNumber ? asValue : asText }
  })
}

const keyParameters = (label: Label) =>
  hasStoredResponses(label)
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'A new value for each action, and the same one for its retries within 24 hours.',
          schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
        },
      ]
    : []

const describeRequestBody = (schema: z.ZodType) => ({
  required: !schema.safeParse({}).success,
  content: jsonContent(toJsonSchema(schema, 'input')),
})

const describeSecurity = (label: Label, { auth }: Row) => {
  if (auth === 'public') return []
  if (isDeliveryLabel(label)) {
    return listSignatureHeaders(label).map((names) => Object.fromEntries(names.map((name) => [name, []])))
  }
  if (auth === 'internal') return [{ internal: [] }]
  return auth === 'actor?' ? [{ actor: [] }, {}] : [{ actor: [] }]
}

/** Who reads a description: every client, or the operators of the gateway. */
export type Audience = 'public' | 'operators'

/** Whether an audience may know that a route exists. */
export const isDescribedTo = (audience: Audience, label: Label) =>
  audience === 'operators' || rowOf(label).auth !== 'internal'

/** Returns the tag of an operation: the first part of its label. */
export const selectTag = (label: Label) => label.split('.', 1)[0] ?? label

/** Describes one row of the route table as an OpenAPI operation. */
export const describeOperation = (label: Label): OpenApiFields => {
  const row = rowOf(label)
  const contract: Contract = contracts[label]
  return {
    operationId: label,
    summary: label,
    tags: [selectTag(label)],
    'x-service-runtime': row.runtime,
    security: describeSecurity(label, row),
    parameters: [...pathParameters(row), ...queryParameters(contract), ...keyParameters(label)],
    ...(contract.body ? { requestBody: describeRequestBody(contract.body) } : {}),
    responses: {
      ...Object.fromEntries([...successResponses(contract), ...errorResponses(label)]),
      default: { $ref: '#/components/responses/error' },
    },
  }
}

import type * as z from 'zod'
import { codesOfCore, type ErrorCode, errorTable } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import { pipelineHeaders, responseHeaders } from '#contracts/shared/response-headers.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { databaseErrorCode } from '../pipeline/to-api-error.ts'
import {
  type Audience,
  allSignatureHeaders,
  describeDeclaredHeaders,
  describeErrorContent,
  describeOperation,
  isDescribedTo,
  type OpenApiFields,
  selectTag,
} from './openapi-operation.ts'
import { createErrorSchema, toJsonSchema } from './openapi-schemas.ts'
import { commonErrors, isReplacedByCore, listErrorHeaders } from './route-errors.ts'

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: OpenApiFields
  readonly tags: readonly OpenApiFields[]
  /** Path template, then method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiFields>>>>
  readonly components: Readonly<Record<string, OpenApiFields>>
}

const description = [
  'Every response contains the label of its route in `x-service-native-route` and the runtime that served it in `x-service-core-runtime`.',
  'Responses of the legacy core are forwarded unchanged and may use other error codes.',
  `Invalid input has the error code \`validation_error\` in responses with \`x-service-core-runtime: native\`, and \`${codesOfCore.validation_error}\` in those with \`proxy\`.`,
  'Responses may contain additional fields that are not described here.',
].join(' ')

const describePaths = (described: readonly Label[]) => {
  const paths: Record<string, Record<string, OpenApiFields>> = {}
  for (const label of described) {
    const { method, path } = rowOf(label)
    const template = path.replace(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: describeOperation(label) }
  }
  return paths
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

const createErrorSchemas = (audience: Audience) => {
  const hidden: readonly ErrorCode[] = labels
    .filter((label) => !isDescribedTo(audience, label))
    .map(databaseErrorCode)
  const codes = Object.keys(errorTable)
    .filter(isErrorCode)
    .filter((code) => !hidden.includes(code))
  const replaced = codes.filter(isReplacedByCore)
  return Object.fromEntries([
    ...codes.map((code) => [code, createErrorSchema(code)]),
    ...replaced.map((code) => [codesOfCore[code], createErrorSchema(code, codesOfCore[code])]),
  ])
}

const serviceHeaders = {
  'x-service-core-runtime': {
    description:
      'The runtime that produced the response: this gateway (`native`) or the legacy core (`proxy`).',
    required: true,
    schema: { type: 'string', enum: ['native', 'proxy'] },
  },
  'x-service-native-route': {
    description: 'The label of the route, or `unmatched`.',
    required: true,
    schema: { type: 'string' },
  },
  'x-service-proxy-fallback': {
    description: '`1` if the core served a native route as a fallback.',
    required: true,
    schema: { type: 'string', enum: ['0', '1'] },
  },
  'x-request-id': {
    description: 'The request id of the caller if it is valid, otherwise a new one.',
    schema: { type: 'string' },
  },
  'cache-control': {
    description: '`no-store` unless the core sets another value.',
    schema: { type: 'string' },
  },
}

const describeComponent = ({ description, schema }: { description: string; schema: z.ZodType }) => ({
  description,
  schema: toJsonSchema(schema, 'output'),
})

const declarableHeaders = Object.fromEntries(
  Object.entries({ ...responseHeaders, ...pipelineHeaders }).map(([name, header]) => [
    name,
    describeComponent(header),
  ]),
)

const errorResponse = {
  description: 'An error response that any request can receive.',
  headers: {
    ...Object.fromEntries(
      Object.keys(serviceHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    ...describeDeclaredHeaders(listErrorHeaders(commonErrors)),
  },
  content: describeErrorContent(commonErrors),
}

const securitySchemes = {
  actor: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of an account, signed by the configured issuer.',
  },
  ...Object.fromEntries(allSignatureHeaders.map((name) => [name, { type: 'apiKey', in: 'header', name }])),
}

const internalScheme = {
  internal: { type: 'http', scheme: 'bearer', description: 'The token of the internal routes.' },
}

/**
 * Creates the OpenAPI document for an audience from the route table, the contracts and the error table. Internal routes
 * are described to operators only.
 */
export const createOpenApiDocument = (audience: Audience): OpenApiDocument => {
  const described = labels.filter((label) => isDescribedTo(audience, label))
  return {
    openapi: '3.1.1',
    info: { title: 'Crossfade', version: '1', description },
    tags: [...new Set(described.map(selectTag))].map((name) => ({ name })),
    paths: describePaths(described),
    components: {
      headers: { ...serviceHeaders, ...declarableHeaders },
      responses: { error: errorResponse },
      schemas: createErrorSchemas(audience),
      securitySchemes: { ...securitySchemes, ...(audience === 'operators' ? internalScheme : {}) },
    },
  }
}

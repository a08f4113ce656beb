import { type ErrorCode, errorTable } from '#contracts/errors.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import {
  describeOperation,
  errorContent,
  type Fields,
  selectTag,
  signatureHeaders,
} from './openapi-operation.ts'
import { createErrorSchema } from './openapi-schemas.ts'
import { commonErrors } from './route-errors.ts'

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: Fields
  readonly tags: readonly Fields[]
  /** Path template, then method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Fields>>>>
  readonly components: Readonly<Record<string, Fields>>
}

const description = [
  'Every answer says in `x-service-native-route` which route it is of and in `x-service-core-runtime` who served it.',
  'An answer of the legacy core reaches its caller as the core wrote it; its refusals may use other codes.',
  'Fields that are not described here may be added to any answer.',
].join(' ')

const pathsOf = () => {
  const paths: Record<string, Record<string, Fields>> = {}
  for (const label of labels) {
    const { method, path } = rowOf(label)
    const template = path.replace(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: describeOperation(label) }
  }
  return paths
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

const errorSchemas = () =>
  Object.fromEntries(
    Object.keys(errorTable)
      .filter(isErrorCode)
      .map((code) => [code, createErrorSchema(code)]),
  )

const headers = {
  'x-service-core-runtime': {
    description: 'Who produced the answer: this gateway, or the legacy core behind it.',
    required: true,
    schema: { type: 'string', enum: ['native', 'proxy'] },
  },
  'x-service-native-route': {
    description: 'The label of the route, or `unmatched`.',
    required: true,
    schema: { type: 'string' },
  },
  'x-service-proxy-fallback': {
    description: '`1` where a native route was served by the core instead.',
    required: true,
    schema: { type: 'string', enum: ['0', '1'] },
  },
  'x-request-id': {
    description: 'The request id of the caller where it sent a harmless one, else a new one.',
    schema: { type: 'string' },
  },
  'cache-control': { description: '`no-store` unless the core says otherwise.', schema: { type: 'string' } },
  'retry-after': {
    description: 'Whole seconds after which another try may be worth it.',
    schema: { type: 'integer', minimum: 0 },
  },
}

const refused = {
  description: 'A refusal that any request can meet.',
  headers: Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: errorContent(commonErrors),
}

const securitySchemes = {
  actor: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of an account, as the configured issuer signs it.',
  },
  internal: { type: 'http', scheme: 'bearer', description: 'The token of the internal surface.' },
  ...Object.fromEntries(
    Object.values(signatureHeaders)
      .flat()
      .map((name) => [name, { type: 'apiKey', in: 'header', name }]),
  ),
}

/** Describes every route from the route table, the contracts and the error table; it cannot say anything else. */
export const createOpenApiDocument = (): OpenApiDocument => ({
  openapi: '3.1.1',
  info: { title: 'Crossfade', version: '1', description },
  tags: [...new Set(labels.map(selectTag))].map((name) => ({ name })),
  paths: pathsOf(),
  components: { headers, responses: { refused }, schemas: errorSchemas(), securitySchemes },
})

let text: string | undefined

/** The document as JSON, written at the first request for it. */
export const serializeOpenApi = () => {
  text ??= JSON.stringify(createOpenApiDocument())
  return text
}

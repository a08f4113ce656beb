import type * as z from 'zod'
import {
  pipelineHeaders,
  type ResponseHeaderName,
  responseHeaders,
} from '#contracts/shared/response-headers.ts'
import type { DocumentWriter } from './document-writer.ts'
import { toJsonSchema } from './json-schema.ts'

const serviceHeaders = {
  'x-service-core-runtime': {
    description: 'What produced the response: this gateway (`native`) or the legacy core (`proxy`).',
    required: true,
    schema: { type: 'string', enum: ['native', 'proxy'] },
  },
  'x-service-native-route': {
    description: 'The label of the route, which is its `operationId`; `unmatched` if no route matches.',
    required: true,
    schema: { type: 'string' },
  },
  'x-service-proxy-fallback': {
    description: '`1` if the core served the request as a fallback for native; otherwise `0`.',
    required: true,
    schema: { type: 'string', enum: ['0', '1'] },
  },
  'x-request-id': {
    description: 'The `x-request-id` of the request if it is valid, otherwise a new id.',
    required: true,
    schema: { type: 'string' },
  },
}

const describeComponent = ({ description, schema }: { description: string; schema: z.ZodType }) => ({
  description,
  schema: toJsonSchema(schema, 'output'),
})

/** Any response may have these headers. As components, they do not double the length of the document. */
export const describeServiceHeaders = (writer: DocumentWriter) =>
  Object.fromEntries([
    ...Object.entries(serviceHeaders).map(([name, header]) => [
      name,
      writer.addComponent('headers', name, header),
    ]),
    ...Object.entries(pipelineHeaders).map(([name, header]) => [
      name,
      writer.addComponent('headers', name, describeComponent(header)),
    ]),
  ])

export const describeHeaders = (declared: readonly ResponseHeaderName[], writer: DocumentWriter) => {
  if (declared.length === 0) return {}
  const headers = declared.map((name) => [
    name,
    writer.addComponent('headers', name, describeComponent(responseHeaders[name])),
  ])
  return { headers: Object.fromEntries(headers) }
}

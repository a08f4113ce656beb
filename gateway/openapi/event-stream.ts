import type * as z from 'zod'
import { exampleOf } from '#contracts/docs/examples.ts'
import { findSchemaName } from '#contracts/docs/schema-names.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import type { DocumentWriter } from './document-writer.ts'

// Linters report a component as unused if only an extension refers to it, so only some events have a named schema, and
// only those get an example.
const listExamples = (events: readonly (readonly [string, z.ZodType])[]) =>
  events.flatMap(([name, schema]) => {
    const schemaName = findSchemaName(schema)
    return schemaName ? [`event: ${name}\ndata: ${JSON.stringify(exampleOf(schemaName))}\n\n`] : []
  })

/**
 * Describes the events of a streamed response, if there are any. OpenAPI 3.1 cannot describe events, so `x-event-data`
 * has a schema for each event's data.
 */
export const describeEventStream = ({ stream, responses }: Contract, writer: DocumentWriter) => {
  const done = responses[200]
  if (!stream || !done) return {}
  const events = Object.entries({ ...stream.events, done })
  return {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Events. The last one is `done` with the JSON response, or `error` with the body of an error. Comments keep the connection alive.',
      },
      'x-event-data': Object.fromEntries(
        events.map(([name, schema]) => [name, writer.describeSchema(schema, 'output')]),
      ),
      example: listExamples(Object.entries(stream.events)).join(''),
    },
  }
}

import type * as z from 'zod'
import type { ResponseHeaderName } from './response-headers.ts'

/**
 * A header's default value, which an error may replace. A `required` header has no default; an `optional` one may be
 * absent.
 */
type ErrorHeader = { readonly default: string } | 'required' | 'optional'

export type ErrorHeaders = { readonly [N in ResponseHeaderName]?: ErrorHeader }

/** If `fields` includes `message`, code that creates the error must supply one. */
export type ErrorRow = readonly [
  statuses: readonly [number, ...number[]],
  message: string,
  fields?: z.ZodRawShape,
  headers?: ErrorHeaders,
]

type NoFields = Record<never, never>

type ShapeOf<Row> = Row extends readonly [unknown, unknown, infer F extends z.ZodRawShape, ...unknown[]]
  ? F
  : NoFields
export type FieldsOf<Row> = [keyof ShapeOf<Row>] extends [never]
  ? NoFields
  : z.infer<z.ZodObject<ShapeOf<Row>>>

// Distributes over a union: an error whose code is one of several needs the required headers of all of them.
type HeadersOf<Row> = Row extends readonly [unknown, unknown, unknown, infer H] ? H : NoFields
type RequiredNames<H> = H extends unknown
  ? { readonly [N in keyof H]: H[N] extends 'required' ? N : never }[keyof H]
  : never

export type HeaderOptions<Row> = [RequiredNames<HeadersOf<Row>>] extends [never]
  ? { readonly headers?: { readonly [N in keyof HeadersOf<Row>]?: string } }
  : {
      readonly headers: { readonly [N in keyof HeadersOf<Row>]?: string } & {
        readonly [N in RequiredNames<HeadersOf<Row>> & string]: string
      }
    }

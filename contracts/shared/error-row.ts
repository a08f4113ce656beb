import type * as z from 'zod'
import type { ResponseHeaderName } from './response-headers.ts'

/** The value of a header unless the error is created with another one; `required` has none, `optional` may be absent. */
type ErrorHeader = { readonly default: string } | 'required' | 'optional'

export type ErrorHeaders = { readonly [N in ResponseHeaderName]?: ErrorHeader }

/**
 * The statuses of an error code, its message, the fields of its body in addition to `error` and `message`, and the headers
 * of its response. A field `message` requires a message where the error is created.
 */
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

// Distributive: an error whose code is one of several needs the required headers of all of them.
type HeadersOf<Row> = Row extends readonly [unknown, unknown, unknown, infer H] ? H : NoFields
type RequiredNames<H> = H extends unknown
  ? { readonly [N in keyof H]: H[N] extends 'required' ? N : never }[keyof H]
  : never

/** The options with the headers of an error; its required headers make them mandatory. */
export type HeaderOptions<Row> = [RequiredNames<HeadersOf<Row>>] extends [never]
  ? { readonly headers?: { readonly [N in keyof HeadersOf<Row>]?: string } }
  : {
      readonly headers: { readonly [N in keyof HeadersOf<Row>]?: string } & {
        readonly [N in RequiredNames<HeadersOf<Row>> & string]: string
      }
    }

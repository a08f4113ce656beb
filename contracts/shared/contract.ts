import type * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Label, RowOf } from '../route-table.ts'
import type { RouteLimit } from './rate-limits.ts'
import type { ResponseHeaderName } from './response-headers.ts'

/** Parameters of a path template: `/v1/tracks/:trackId/tags` gives `{ trackId: string }`. */
export type PathParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? PathParams<Head> & PathParams<Tail>
  : Path extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown

/** `null` means no body (204). */
export type ResponseSchemas = { readonly [status: number]: z.ZodType | null }

export interface StreamDefinition {
  /** The response's headers are computed from it. */
  readonly opening: z.ZodType
  /**
   * Schemas of all events except the last. The last event is `done`, with the 200 response as its data, or `error`,
   * with an error body.
   */
  readonly events: Readonly<Record<string, z.ZodType>>
}

interface ContractInput {
  /** Each input value is a string, or an array of strings if its name is repeated. */
  readonly query?: z.ZodType
  /** Without a schema, the route ignores the request body. */
  readonly body?: z.ZodType
  /** If set, clients that accept `text/event-stream` get the 200 response as events. */
  readonly stream?: StreamDefinition
  /** The rate limit that the route's requests count against (`gateway/pipeline/limits.ts`). */
  readonly limit?: RouteLimit
  /**
   * Leaves out codes that follow from the route's table row (authentication, entitlement, scope, unavailable database),
   * from its `limit` or from input validation.
   */
  readonly errors?: readonly ErrorCode[]
}

export interface ContractDefinition extends ContractInput {
  /** Fields a schema does not name are removed from the response. */
  readonly responses: ResponseSchemas
}

export interface HeaderSource<Params, Body> {
  readonly params: Params
  readonly body: Body
}

type HeadersFrom<Source> = { readonly [N in ResponseHeaderName]?: (source: Source) => string }

type BodyOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

type ParamsOf<L extends Label> = PathParams<RowOf<L>[1]>

type HeadersByStatus<L extends Label, R extends ResponseSchemas> = {
  readonly [S in keyof R]?: HeadersFrom<HeaderSource<ParamsOf<L>, BodyOf<R[S]>>>
}

type ErrorHeadersFrom<Source> = {
  readonly [N in ResponseHeaderName]?: (source: Source) => string | undefined
}

interface DeclaredHeaders {
  /** `location` is a path; the pipeline puts the public base URL in front of it. */
  readonly headers?: { readonly [status: number]: HeadersFrom<never> | undefined }
  /**
   * Headers of errors that occur after the input was validated. A 404 has none of them, because the resource they
   * describe does not exist.
   */
  readonly errorHeaders?: ErrorHeadersFrom<never>
}

export type Contract<L extends Label = Label, P extends ContractDefinition = ContractDefinition> = P &
  DeclaredHeaders & { readonly label: L }

export const defineContract = <
  const L extends Label,
  const R extends ResponseSchemas,
  const P extends ContractInput,
>(
  label: L,
  parts: P & {
    readonly responses: R
    readonly headers?: HeadersByStatus<L, R>
    readonly errorHeaders?: ErrorHeadersFrom<HeaderSource<ParamsOf<L>, unknown>>
  },
): Contract<L, P & { readonly responses: R }> => ({
  ...parts,
  label,
})

export const defineStreamContract = <
  const L extends Label,
  const Body extends z.ZodType,
  const Result extends z.ZodType,
  const Opening extends z.ZodType,
  const Events extends Readonly<Record<string, z.ZodType>>,
>(
  label: L,
  parts: {
    readonly body: Body
    readonly responses: { readonly 200: Result }
    readonly stream: { readonly opening: Opening; readonly events: Events }
    readonly headers: { readonly 200: HeadersFrom<HeaderSource<ParamsOf<L>, z.output<Opening>>> }
    readonly errorHeaders: ErrorHeadersFrom<HeaderSource<ParamsOf<L>, z.output<Body>>>
    readonly errors: readonly ErrorCode[]
  },
) => ({ ...parts, label })

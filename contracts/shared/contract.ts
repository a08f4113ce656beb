import type * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Label, RowOf } from '../route-table.ts'
import type { ResponseHeaderName } from './response-headers.ts'

/** The parameters of a path template: `/v1/tracks/:trackId/tags` has `{ trackId: string }`. */
export type PathParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? PathParams<Head> & PathParams<Tail>
  : Path extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown

/** Response schemas by success status; `null` for a status without a body (204). */
export type ResponseSchemas = { readonly [status: number]: z.ZodType | null }

/** A success response that a client may also read as events while it is made. */
export interface StreamDefinition {
  /** What is known of the 200 response before its body: its headers are computed from this. */
  readonly opening: z.ZodType
  /**
   * A schema for each event that may precede the last one: `done`, whose data is the 200 response, or `error`, whose data
   * is the body of an error.
   */
  readonly events: Readonly<Record<string, z.ZodType>>
}

interface ContractInput {
  /** Schema of the query parameters. Each input value is a string, or an array of strings if its name is repeated. */
  readonly query?: z.ZodType
  /** Schema of the JSON body. Without it, the route ignores the request body. */
  readonly body?: z.ZodType
  /** With it, a client that accepts `text/event-stream` gets the 200 response as events. */
  readonly stream?: StreamDefinition
  /**
   * The error codes specific to this route. The codes that follow from its row of the route table (authentication,
   * entitlement, scope, unavailable database) and from input validation are not listed.
   */
  readonly errors?: readonly ErrorCode[]
}

export interface ContractDefinition extends ContractInput {
  /** A schema for each success status. Fields that the schema does not name are removed from the response. */
  readonly responses: ResponseSchemas
}

/** What the headers of a response are computed from: the path parameters of the request, and the body of the response. */
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
  /**
   * The headers of each success status, and how the pipeline computes them. A `location` is a path, to which the
   * pipeline adds the public base URL.
   */
  readonly headers?: { readonly [status: number]: HeadersFrom<never> | undefined }
  /**
   * Headers of the errors of a request with valid input, computed from its path parameters and its body. A 404 has none of
   * them: what they name does not exist.
   */
  readonly errorHeaders?: ErrorHeadersFrom<never>
}

export type Contract<L extends Label = Label, P extends ContractDefinition = ContractDefinition> = P &
  DeclaredHeaders & { readonly label: L }

/** Defines the contract of one route: its input, its success responses with their headers, and its errors. */
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

/** Defines the contract of a route whose 200 response is also available as events. */
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

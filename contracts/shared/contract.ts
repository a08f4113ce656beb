import type * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Label, RowOf } from '../route-table.ts'
import type { PathParams } from './path-params.ts'
import type { ResponseHeaderName } from './response-headers.ts'

/** Response schemas by success status; `null` for a status without a body (204). */
export type ResponseSchemas = { readonly [status: number]: z.ZodType | null }

interface ContractInput {
  /** Schema of the query parameters. Each input value is a string, or an array of strings if its name is repeated. */
  readonly query?: z.ZodType
  /** Schema of the JSON body. Without it, the route ignores the request body. */
  readonly body?: z.ZodType
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

type HeadersByStatus<L extends Label, R extends ResponseSchemas> = {
  readonly [S in keyof R]?: HeadersFrom<HeaderSource<PathParams<RowOf<L>[1]>, BodyOf<R[S]>>>
}

interface DeclaredHeaders {
  /**
   * The headers of each success status, and how the pipeline computes them. A `location` is a path, to which the
   * pipeline adds the public base URL.
   */
  readonly headers?: { readonly [status: number]: HeadersFrom<never> | undefined }
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
  parts: P & { readonly responses: R; readonly headers?: HeadersByStatus<L, R> },
): Contract<L, P & { readonly responses: R }> => ({
  ...parts,
  label,
})

import type * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Label } from '../route-table.ts'

/** `null` is a response without a body (204). */
export type ResponseSchemas = { readonly [status: number]: z.ZodType | null }

export interface ContractParts {
  /** The query string, each value still a string (an array where a name is repeated). */
  readonly query?: z.ZodType
  /** The JSON body. If absent, the route ignores the body of the request. */
  readonly body?: z.ZodType
  /** A schema for each success status. Fields that the schema does not name are removed from the response. */
  readonly responses: ResponseSchemas
  /**
   * The error codes specific to this route. The codes that follow from its row (authentication, entitlement, scope,
   * unavailable database) and from input validation are not listed.
   */
  readonly errors?: readonly ErrorCode[]
}

export type Contract<L extends Label = Label, P extends ContractParts = ContractParts> = P & {
  readonly label: L
}

/** Defines the contract of one route: its input, its success responses and its errors. */
export const contract = <const L extends Label, const P extends ContractParts>(
  label: L,
  parts: P,
): Contract<L, P> => ({
  ...parts,
  label,
})

import type * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Label } from '../route-table.ts'

/** Response schemas by success status; `null` for a status without a body (204). */
export type ResponseSchemas = { readonly [status: number]: z.ZodType | null }

export interface ContractDefinition {
  /** Schema of the query parameters. Each input value is a string, or an array of strings if its name is repeated. */
  readonly query?: z.ZodType
  /** Schema of the JSON body. Without it, the route ignores the request body. */
  readonly body?: z.ZodType
  /** A schema for each success status. Fields that the schema does not name are removed from the response. */
  readonly responses: ResponseSchemas
  /**
   * The error codes specific to this route. The codes that follow from its row of the route table (authentication,
   * entitlement, scope, unavailable database) and from input validation are not listed.
   */
  readonly errors?: readonly ErrorCode[]
}

export type Contract<L extends Label = Label, P extends ContractDefinition = ContractDefinition> = P & {
  readonly label: L
}

/** Defines the contract of one route: its input, its success responses and its errors. */
export const defineContract = <const L extends Label, const P extends ContractDefinition>(
  label: L,
  parts: P,
): Contract<L, P> => ({
  ...parts,
  label,
})

import type * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Label } from '../route-table.ts'

/** `null` is an answer without a body (204). */
export type ResponseSchemas = { readonly [status: number]: z.ZodType | null }

export interface ContractParts {
  /** The query string, each value still a string (an array where a name is repeated). */
  readonly query?: z.ZodType
  /** The JSON body. Absent: the route takes none and a present one is ignored. */
  readonly body?: z.ZodType
  /** A schema for each status of success. What it does not name never reaches a caller. */
  readonly responses: ResponseSchemas
  /**
   * The refusals that belong to this route, beside those that follow from its row (who may call it, its scope, a
   * lost database) or from there being an input to be wrong.
   */
  readonly errors?: readonly ErrorCode[]
}

export type Contract<L extends Label = Label, P extends ContractParts = ContractParts> = P & {
  readonly label: L
}

/** What callers may rely on for one route. */
export const contract = <const L extends Label, const P extends ContractParts>(
  label: L,
  parts: P,
): Contract<L, P> => ({
  ...parts,
  label,
})
